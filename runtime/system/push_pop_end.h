asm(R"(
	.purgem __chord_push
	.purgem __chord_pop
	.purgem __chord_routine
	.purgem __chord_routine_end
)");
