// Layouts for the assembly in these files. What is written NAME.FIELD there is an offset in a structure, or another constant, that a list
// of CHORD_OFFSETS gives; group_runtime.py puts the numbers in place of the names and drops the list.
#pragma once

#define CHORD_OFFSETS(name) [[gnu::used, gnu::section(".chord_offsets"), gnu::cold]] static void name()
#define CHORD_OFFSET(type, field) CHORD_VALUE(type, field, __builtin_offsetof(type, field))
#define CHORD_VALUE(name, field, value) asm volatile("#chord_offset " #name "." #field " %c0" : : "i"(value))
