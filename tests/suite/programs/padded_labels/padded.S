// Labels in front of padding, behind it and in the midst of it, named by a table and by branches; and a function that
// begins with padding.
  .text
  .p2align 4
  nop
  .globl asm_padded
  .type asm_padded, @function
asm_padded:
  .cfi_startproc
  .p2align 3
  cmpl $5, %edi
  ja .Lpadded_front
  movl %edi, %edi
  leaq .Lpadded_table(%rip), %rdx
  movslq (%rdx,%rdi,4), %rax
  addq %rdx, %rax
  jmp *%rax
.Lpadded_add:
  addl $3, %esi
  cmpl $20, %esi
  jl .Lpadded_middle
  jmp .Lpadded_behind
.Lpadded_double:
  addl %esi, %esi
.Lpadded_front:
  .p2align 4
.Lpadded_middle:
  .p2align 5
.Lpadded_loop:
  .p2align 6
.Lpadded_behind:
  subl $2, %esi
  cmpl $9, %esi
  jg .Lpadded_loop
  cmpl $5, %esi
  jg .Lpadded_behind
  movl %esi, %eax
  ret
  .cfi_endproc
  .size asm_padded, .-asm_padded
  .section .rodata
  .p2align 2
.Lpadded_table:
  .long .Lpadded_add-.Lpadded_table
  .long .Lpadded_front-.Lpadded_table
  .long .Lpadded_behind-.Lpadded_table
  .long .Lpadded_loop-.Lpadded_table
  .long .Lpadded_double-.Lpadded_table
  .long .Lpadded_middle-.Lpadded_table
  .text
  .section .note.GNU-stack,"",@progbits
