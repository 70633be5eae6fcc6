# The names that other modules may see. They are in groups of their own and come with an object only where
# they are wanted (weave/weave.cc sets the symbols that are asked for here): a shared object has the interface
# of the plain one, unless it uses ours.
	.macro __chord_visible name, binding, function
	\binding \name
	.type \name, @function
\name:
	.cfi_startproc
	endbr64
	jmp \function
	.cfi_endproc
	.size \name, . - \name
	.endm

	.ifdef .Lchordrt_program
	.pushsection .text.chord_program,"axG",@progbits,__chord_program_1,comdat
	__chord_visible pthread_create, .weak, __chord_wrap_pthread_create
	__chord_visible thrd_create, .weak, __chord_wrap_thrd_create
	.weak __chord_program
	.hidden __chord_program
__chord_program:
	.byte 1
	.popsection
	.endif

	.ifdef .Lchordrt_api
	.pushsection .text.chord_api,"axG",@progbits,__chord_api_1,comdat
	.irp name, dump, reset, mark, pause, resume, events, events_process, budget, budget_extend, budget_left, trace
	__chord_visible __chord_api_\name, .globl, __chord_do_\name
	.endr
	.popsection
	.endif
	.purgem __chord_visible
