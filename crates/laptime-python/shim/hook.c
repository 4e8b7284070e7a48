/* Where calls of a Python function go, and hiding what is called on the way.
 *
 * A function object says by its `vectorcall` field how it is called. CPython 3.10, and 3.12 and
 * later, look there at every call. 3.11 doesn't when Python code calls a function whose type is
 * exactly `function`: there the object gets a type of the same name, derived from it, for as
 * long as its calls go elsewhere. Compiled against the headers of the interpreter that the
 * extension is built for. */
#include <Python.h>

#define LOOKS_AT_TYPE (PY_VERSION_HEX >= 0x030B0000 && PY_VERSION_HEX < 0x030C0000)

#if LOOKS_AT_TYPE
/* `pickle` and `copy` tell a function by its exact type; others ask the object: by its name. */
static PyObject *reduce(PyObject *function, PyObject *protocol) {
    (void)protocol;
    return PyObject_GetAttrString(function, "__qualname__");
}

static PyMethodDef methods[] = {{"__reduce_ex__", reduce, METH_O, NULL}, {NULL, NULL, 0, NULL}};

static PyTypeObject called = {PyVarObject_HEAD_INIT(NULL, 0).tp_name = "function"};

static int make_type(void) {
    if (called.tp_basicsize != 0) {
        return 0;
    }
    called.tp_base = &PyFunction_Type;
    called.tp_basicsize = PyFunction_Type.tp_basicsize;
    called.tp_vectorcall_offset = PyFunction_Type.tp_vectorcall_offset;
    called.tp_call = PyFunction_Type.tp_call;
    called.tp_traverse = PyFunction_Type.tp_traverse;
    called.tp_clear = PyFunction_Type.tp_clear;
    called.tp_methods = methods;
    called.tp_flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_HAVE_GC | Py_TPFLAGS_HAVE_VECTORCALL |
                      Py_TPFLAGS_METHOD_DESCRIPTOR;
    if (PyType_Ready(&called) < 0) {
        called.tp_basicsize = 0;
        return -1;
    }
    /* A class without a text has None there, in front of what its objects say. */
    if (PyDict_DelItemString(called.tp_dict, "__doc__") < 0) {
        PyErr_Clear();
    }
    PyType_Modified(&called);
    return 0;
}
#endif

static void set(PyObject *function, vectorcallfunc call) {
#if PY_VERSION_HEX >= 0x030C0000
    PyFunction_SetVectorcall((PyFunctionObject *)function, call);
#else
    ((PyFunctionObject *)function)->vectorcall = call;
#endif
}

int laptime_is_function(PyObject *object) {
#if LOOKS_AT_TYPE
    if (Py_IS_TYPE(object, &called)) {
        return 1;
    }
#endif
    return PyFunction_Check(object);
}

/* Where the calls of a function go. */
vectorcallfunc laptime_called_by(PyObject *function) {
    return ((PyFunctionObject *)function)->vectorcall;
}

/* Sends the calls of a function elsewhere; where they went. NULL, with an error set. `inlined`
 * says that Python code calls it directly. */
vectorcallfunc laptime_hook(PyObject *function, vectorcallfunc call, int inlined) {
    vectorcallfunc original = ((PyFunctionObject *)function)->vectorcall;
#if LOOKS_AT_TYPE
    if (inlined) {
        if (make_type() < 0) {
            return NULL;
        }
        Py_SET_TYPE(function, &called);
    }
#else
    (void)inlined;
#endif
    set(function, call);
    return original;
}

/* Undoes it. */
void laptime_unhook(PyObject *function, vectorcallfunc call, vectorcallfunc original) {
    if (((PyFunctionObject *)function)->vectorcall == call) {
        set(function, original);
    }
#if LOOKS_AT_TYPE
    if (Py_IS_TYPE(function, &called)) {
        Py_SET_TYPE(function, &PyFunction_Type);
    }
#endif
}

/* From here on, what runs is seen by no tracer and no profiler of the program's. */
void laptime_hide(void) {
    PyThreadState *state = PyThreadState_Get();
#if PY_VERSION_HEX >= 0x030B0000
    PyThreadState_EnterTracing(state);
#else
    state->tracing++;
    state->cframe->use_tracing = 0;
#endif
}

/* Undoes it. */
void laptime_show(void) {
    PyThreadState *state = PyThreadState_Get();
#if PY_VERSION_HEX >= 0x030B0000
    PyThreadState_LeaveTracing(state);
#else
    state->tracing--;
    state->cframe->use_tracing =
        state->tracing == 0 && (state->c_tracefunc != NULL || state->c_profilefunc != NULL);
#endif
}
