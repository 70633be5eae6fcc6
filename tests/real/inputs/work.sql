CREATE TABLE item(id INTEGER PRIMARY KEY, name TEXT, price REAL, kind INT);
CREATE TABLE sale(id INTEGER PRIMARY KEY, item INT REFERENCES item(id), amount INT, day INT);
CREATE INDEX sale_by_item ON sale(item, day);
BEGIN;
WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < @SIZE@)
INSERT INTO item SELECT i, printf('item-%04d', (i * 7919) % 1000), (i * 37 % 1000) / 8.0, i % 7 FROM n;
WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < @SIZE@ * 4)
INSERT INTO sale SELECT i, 1 + (i * 31) % @SIZE@, 1 + i % 5, i % 28 FROM n;
COMMIT;
SELECT kind, count(*), round(avg(price), 3), min(name), max(name) FROM item GROUP BY kind ORDER BY kind;
SELECT i.kind, s.day, sum(s.amount * i.price) AS total
  FROM sale s JOIN item i ON i.id = s.item
 WHERE s.day BETWEEN 3 AND 9 GROUP BY i.kind, s.day HAVING total > 10 ORDER BY total DESC LIMIT 12;
UPDATE item SET price = price * 1.1 WHERE kind IN (SELECT kind FROM item WHERE name LIKE '%9_');
DELETE FROM sale WHERE id % 11 = 0;
SELECT count(*), sum(amount), group_concat(DISTINCT day) FROM sale WHERE item < 50;
SELECT name, rank() OVER (PARTITION BY kind ORDER BY price DESC) AS r FROM item WHERE kind = 3 ORDER BY r, name LIMIT 8;
CREATE TRIGGER restock AFTER DELETE ON sale BEGIN UPDATE item SET kind = kind + 1 WHERE id = old.item; END;
DELETE FROM sale WHERE day = 5;
SELECT kind, count(*) FROM item GROUP BY kind;
SELECT json_extract('{"a":[1,2,{"b":"c"}]}', '$.a[2].b'), hex(zeroblob(4)), substr('chords', 2, 3), 7 / 2, 7 % 3, 1e3;
SELECT strftime('%Y-%m-%d', 1e9, 'unixepoch'), coalesce(NULL, 'x'), instr('assembly', 'em'), quote('it''s');
SELECT absent FROM nowhere;
ALTER TABLE item ADD COLUMN note TEXT DEFAULT 'none';
SELECT DISTINCT note, typeof(price) FROM item;
PRAGMA integrity_check;
EXPLAIN QUERY PLAN SELECT * FROM sale WHERE item = 7 AND day > 3;
