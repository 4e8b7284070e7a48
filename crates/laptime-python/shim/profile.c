/* The profile function of threads, and names of functions that aren't Python.
 *
 * Before CPython 3.12 a profile function is a thread's, and no function of the interface says which
 * one another thread has. Compiled against the headers of the interpreter that the extension is
 * built for. */
#include <Python.h>

#define HAS_MONITORING (PY_VERSION_HEX >= 0x030C0000)

#if !HAS_MONITORING
/* What `_PyEval_SetProfile` does, but for the audit event: a hook of the program's lets other threads
 * run, and the thread that is meant may end meanwhile. */
static void set_profile(PyThreadState *state, Py_tracefunc function) {
    state->c_profilefunc = function;
    int is_used = state->tracing == 0 && (state->c_tracefunc != NULL || function != NULL);
    state->cframe->use_tracing = is_used ? 255 : 0;
}
#endif

/* Asks the program's audit hooks, as `sys.setprofile` does: 0, or -1 when one refuses. */
int laptime_may_profile(void) {
    if (PySys_Audit("sys.setprofile", NULL) < 0) {
        PyErr_Clear();
        return -1;
    }
    return 0;
}

/* Gives every thread of this interpreter a profile function, but those that have one. Returns how
 * many have another one. Lets no other thread run. */
int laptime_profile_all(Py_tracefunc function) {
    int others = 0;
#if !HAS_MONITORING
    PyInterpreterState *interpreter = PyThreadState_GetInterpreter(PyThreadState_Get());
    PyThreadState *state = PyInterpreterState_ThreadHead(interpreter);
    for (; state != NULL; state = PyThreadState_Next(state)) {
        if (state->c_profilefunc == function) {
            continue;
        }
        if (state->c_profilefunc != NULL) {
            others++;
            continue;
        }
        set_profile(state, function);
    }
#endif
    return others;
}

/* Gives it to threads that are newer than the newest one that has it: the interpreter has the newest
 * first. One that lost it, to a function of the program's, doesn't get it back. */
void laptime_profile_new(Py_tracefunc function) {
#if !HAS_MONITORING
    PyInterpreterState *interpreter = PyThreadState_GetInterpreter(PyThreadState_Get());
    PyThreadState *state = PyInterpreterState_ThreadHead(interpreter);
    for (; state != NULL && state->c_profilefunc != function; state = PyThreadState_Next(state)) {
        if (state->c_profilefunc == NULL) {
            set_profile(state, function);
        }
    }
#endif
}

/* Takes it away from every thread that has it. */
void laptime_profile_none(Py_tracefunc function) {
#if !HAS_MONITORING
    PyInterpreterState *interpreter = PyThreadState_GetInterpreter(PyThreadState_Get());
    PyThreadState *state = PyInterpreterState_ThreadHead(interpreter);
    for (; state != NULL; state = PyThreadState_Next(state)) {
        if (state->c_profilefunc == function) {
            set_profile(state, NULL);
        }
    }
#endif
}

/* Whether a thread that still exists has it. */
int laptime_profiles(Py_tracefunc function, PyThreadState *wanted) {
#if HAS_MONITORING
    return 1;
#else
    PyInterpreterState *interpreter = PyThreadState_GetInterpreter(PyThreadState_Get());
    PyThreadState *state = PyInterpreterState_ThreadHead(interpreter);
    for (; state != NULL; state = PyThreadState_Next(state)) {
        if (state == wanted) {
            return state->c_profilefunc == function;
        }
    }
    return 0;
#endif
}

/* The definition of a function that isn't Python: its address tells the function. NULL for
 * anything else. `self` may be NULL. */
PyMethodDef *laptime_definition(PyObject *callable, PyObject *self) {
    if (PyCFunction_Check(callable)) {
        return ((PyCFunctionObject *)callable)->m_ml;
    }
    if (self != NULL && Py_TYPE(callable) == &PyMethodDescr_Type) {
        return ((PyMethodDescrObject *)callable)->d_method;
    }
    return NULL;
}

/* Whether the text of an object is made by the interpreter alone. */
static int is_plain(PyObject *found) {
    PyTypeObject *type = Py_TYPE(found);
    return type == &PyMethodDescr_Type || type == &PyClassMethodDescr_Type ||
           type == &PyWrapperDescr_Type || type == &PyCFunction_Type;
}

/* What `cProfile` calls it: a new text, or NULL without an error set. Runs nothing of the program's. */
PyObject *laptime_definition_name(PyObject *callable, PyObject *self) {
    PyMethodDef *definition = laptime_definition(callable, self);
    PyObject *module = NULL, *text = NULL;
    if (definition == NULL) {
        return NULL;
    }
    if (PyCFunction_Check(callable)) {
        module = ((PyCFunctionObject *)callable)->m_module;
        self = ((PyCFunctionObject *)callable)->m_self;
    }
    if (module != NULL && !PyUnicode_CheckExact(module)) {
        module = NULL;
    }
    if (self == NULL) {
        if (module == NULL || PyUnicode_CompareWithASCIIString(module, "builtins") == 0) {
            text = PyUnicode_FromFormat("<%s>", definition->ml_name);
        } else {
            text = PyUnicode_FromFormat("<%U.%s>", module, definition->ml_name);
        }
    } else {
        PyObject *name = PyUnicode_FromString(definition->ml_name);
        PyObject *found = name == NULL ? NULL : _PyType_Lookup(Py_TYPE(self), name);
        Py_XDECREF(name);
        if (found != NULL && is_plain(found)) {
            Py_INCREF(found);
            text = PyObject_Repr(found);
            Py_DECREF(found);
        } else if (module != NULL) {
            text = PyUnicode_FromFormat("<built-in method %U.%s>", module, definition->ml_name);
        } else {
            text = PyUnicode_FromFormat("<built-in method %s>", definition->ml_name);
        }
    }
    if (text == NULL) {
        PyErr_Clear();
    }
    return text;
}
