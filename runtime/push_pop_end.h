asm(R"(
	.purgem __chord_push
	.purgem __chord_pop
)");
