/* The library as a module of Python's, with a function that marks. */
#define PY_SSIZE_T_CLEAN
#include <Python.h>
#include <chord/chord.h>

#include "roman.h"

static PyObject *number_of(PyObject *self, PyObject *text) {
  const char *numeral = PyUnicode_AsUTF8(text);
  (void)self;
  return numeral == NULL ? NULL : PyLong_FromLong(roman_parse(numeral));
}

static PyObject *numeral_of(PyObject *self, PyObject *number) {
  char text[16];
  long value = PyLong_AsLong(number);
  (void)self;
  if (value == -1 && PyErr_Occurred()) return NULL;
  if (value != (int)value || !roman_write((int)value, text)) {
    PyErr_SetString(PyExc_ValueError, "no numeral");
    return NULL;
  }
  return PyUnicode_FromString(text);
}

static PyObject *mark(PyObject *self, PyObject *label) {
  const char *text = PyUnicode_AsUTF8(label);
  (void)self;
  if (text == NULL) return NULL;
  chord_mark(text);
  Py_RETURN_NONE;
}

static PyMethodDef methods[] = {{"parse", number_of, METH_O, NULL}, {"write", numeral_of, METH_O, NULL}, {"mark", mark, METH_O, NULL}, {NULL, NULL, 0, NULL}};
static struct PyModuleDef module = {PyModuleDef_HEAD_INIT, "roman", NULL, -1, methods, NULL, NULL, NULL, NULL};

PyMODINIT_FUNC PyInit_roman(void) { return PyModule_Create(&module); }
