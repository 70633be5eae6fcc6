// Hand-written routines, preprocessed: macros of both the preprocessor and the assembler.
#define ENTER(name) .globl name; .type name, @function; name: .cfi_startproc
#define LEAVE(name) .cfi_endproc; .size name, .-name

  .text
  .p2align 4
ENTER(asm_strlen)
  xorl %eax, %eax
1:
  cmpb $0, (%rdi,%rax)
  je 2f
  incq %rax
  jmp 1b
2:
  ret
LEAVE(asm_strlen)

  .p2align 4
ENTER(asm_sum)
  xorl %eax, %eax
  movq %rsi, %rcx
  jrcxz .Lsum_done
  .p2align 5
.Lsum_loop:
  movslq -4(%rdi,%rcx,4), %rdx
  addq %rdx, %rax
  decq %rcx
  jnz .Lsum_loop
.Lsum_done:
  rep ret
LEAVE(asm_sum)

ENTER(asm_select)
  cmpl $4, %edi
  ja .Lselect_other
  movl %edi, %edi
  leaq .Lselect_table(%rip), %rdx
  movslq (%rdx,%rdi,4), %rax
  addq %rdx, %rax
  jmp *%rax
.Lselect_0:
  leal 1(%rsi), %eax
  ret
.Lselect_1:
  leal (%rsi,%rsi), %eax
  ret
.Lselect_2:
  movl %esi, %eax
  negl %eax
  ret
.Lselect_3:
  imull $7, %esi, %eax
  ret
.Lselect_other:
  movl $-1, %eax
  ret
LEAVE(asm_select)
  .section .rodata
  .p2align 2
.Lselect_table:
  .long .Lselect_0-.Lselect_table
  .long .Lselect_1-.Lselect_table
  .long .Lselect_2-.Lselect_table
  .long .Lselect_3-.Lselect_table
  .long .Lselect_1-.Lselect_table
  .text

  .macro crc_bit
  shrl $1, %eax
  jnc 771f
  xorl $0xedb88320, %eax
771:
  .endm

ENTER(asm_crc)
  movl $-1, %eax
  testq %rsi, %rsi
  jz 2f
1:
  movzbl (%rdi), %edx
  xorl %edx, %eax
  .rept 8
  crc_bit
  .endr
  incq %rdi
  decq %rsi
  jnz 1b
2:
  notl %eax
  ret
LEAVE(asm_crc)

ENTER(asm_max3)
  movl %edi, %eax
  cmpl %esi, %eax
  jge 1f
  movl %esi, %eax
1: cmpl %edx, %eax; jge 1f; movl %edx, %eax
1: ret
LEAVE(asm_max3)

// Saves registers, calls another routine, keeps its state across the call.
ENTER(asm_table_walk)
  pushq %rbx
  .cfi_adjust_cfa_offset 8
  .cfi_rel_offset %rbx, 0
  pushq %rbp
  .cfi_adjust_cfa_offset 8
  .cfi_rel_offset %rbp, 0
  pushq %r12
  .cfi_adjust_cfa_offset 8
  .cfi_rel_offset %r12, 0
  movq %rdi, %rbx
  movl %esi, %ebp
  xorl %r12d, %r12d
.Lwalk_next:
  testl %ebp, %ebp
  jle .Lwalk_done
  movzbl (%rbx), %edi
  movl %r12d, %esi
  call asm_select
  movl %eax, %r12d
  andl $0xffff, %r12d
  incq %rbx
  decl %ebp
  jmp .Lwalk_next
.Lwalk_done:
  movl %r12d, %eax
  popq %r12
  .cfi_adjust_cfa_offset -8
  popq %rbp
  .cfi_adjust_cfa_offset -8
  popq %rbx
  .cfi_adjust_cfa_offset -8
  ret
LEAVE(asm_table_walk)
  .section .note.GNU-stack,"",@progbits
