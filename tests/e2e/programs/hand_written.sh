#!/bin/sh
# Assembly that no compiler wrote: results in flags to callers of the same and of another file, jumps past the start of
# a function, labels whose address is pushed, computed with, or given to a signal handler. Plain and
# woven programs print the same; what cannot be counted is listed with the reason.
. "$(dirname "$0")/../common.inc"
cat >routines.s <<'SOURCE'
	.text
	.globl	is_odd
	.type	is_odd, @function
is_odd:
	testl	%edi, %edi
	je	1f
	shrl	%edi
	jmp	2f
1:	clc
2:	ret
	.size	is_odd, .-is_odd
	.globl	count_odd
	.type	count_odd, @function
count_odd:
	xorl	%eax, %eax
	testl	%esi, %esi
	je	4f
3:	movl	%esi, %edi
	call	is_odd
	adcl	$0, %eax
	decl	%esi
	jne	3b
4:	ret
	.size	count_odd, .-count_odd
	.globl	sum_in_r11
	.type	sum_in_r11, @function
sum_in_r11:
	xorl	%r11d, %r11d
5:	addq	%rdi, %r11
	decq	%rdi
	jg	5b
	ret
	.size	sum_in_r11, .-sum_in_r11
	.globl	twice
	.type	twice, @function
twice:
	incl	%edi
	leal	(%rdi,%rdi), %eax
	ret
	.size	twice, .-twice
	.globl	twice_less
	.type	twice_less, @function
twice_less:
	jmp	twice+2
	.size	twice_less, .-twice_less
	.globl	pushed
	.type	pushed, @function
pushed:
	leaq	resume(%rip), %rax
	pushq	%rax
	ret
resume:
	leal	7(%rdi), %eax
	ret
	.size	pushed, .-pushed
	.globl	strides
	.type	strides, @function
strides:
	leaq	first(%rip), %rax
	leaq	(%rax,%rdi,4), %rax
	movl	$0, %esi
	jmp	*%rax
	.p2align 4
first:
	addl	$1, %esi
	nop
	addl	$2, %esi
	nop
	addl	$4, %esi
	nop
	movl	%esi, %eax
	ret
	.size	strides, .-strides
	.globl	faulting
	.type	faulting, @function
faulting:
	movl	$1, %eax
	movl	(%rdi), %eax
	ret
after_fault:
	movl	$-5, %eax
	ret
	.size	faulting, .-faulting
	.data
	.globl	where_to
where_to:
	.quad	after_fault
	.section .note.GNU-stack,"",@progbits
SOURCE
cat >main.c <<'SOURCE'
#define _GNU_SOURCE
#include <signal.h>
#include <stdio.h>
#include <ucontext.h>
int count_odd(int, int), twice(int), twice_less(int), pushed(int), strides(long), faulting(const int *);
extern long where_to;
static void on_fault(int number, siginfo_t *info, void *context) {
  (void)number, (void)info;
  ((ucontext_t *)context)->uc_mcontext.gregs[REG_RIP] = where_to;
}
static int is_odd_here(int n) {
  unsigned char carry;
  __asm__ volatile("call is_odd; setc %0" : "=q"(carry), "+D"(n) : : "cc", "memory");
  return carry;
}
static long sum_here(long n) {
  long sum;
  __asm__ volatile("call sum_in_r11; mov %%r11, %0" : "=r"(sum), "+D"(n) : : "r11", "cc", "memory");
  return sum;
}
int main(void) {
  struct sigaction action = {.sa_sigaction = on_fault, .sa_flags = SA_SIGINFO};
  sigaction(SIGSEGV, &action, NULL);
  int value = 3, odd = 0;
  long sum = 0;
  for (int i = 0; i < 10; i++) odd += is_odd_here(i), sum += sum_here(i + 1);
  printf("%d %ld %d %d %d %d\n", odd, sum, count_odd(0, 17), twice(4), twice_less(4), pushed(1));
  printf("%d %d %d\n", strides(0), strides(1), strides(2));
  printf("%d %d %d\n", faulting(&value), faulting(NULL), faulting(&value));
  return 0;
}
SOURCE
for level in -O0 -O2; do
  for mode in "" --paths --events=instructions --durable; do
    for code in "" -fPIC; do
      gcc $level $code main.c routines.s -o plain
      rm -f ./*.chord
      "$CHORD" $mode gcc $level $code main.c routines.s -o woven
      expect_equal "$level $code $mode" "$(./plain)" "$(./woven)"
    done
  done
done
"$CHORD" gcc -O2 main.c routines.s -o woven
rm -f ./*.chord
./woven >out
"$CHORD" report >report
for reason in "twice and a number lead into its middle" "the address of resume in it is known" \
  "the address of first in it is known" "code outside the function may jump here"; do
  expect_contains "reasons" "$reason" report
done
expect_equal "calls of is_odd" 27 "$(calls woven.chord is_odd)"
expect_equal "calls of sum_in_r11" 10 "$(calls woven.chord sum_in_r11)"
