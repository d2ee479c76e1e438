#ifndef CPOSTGRESQL_SHIM_H
#define CPOSTGRESQL_SHIM_H

#include <libpq-fe.h>

/* The field of an error that the Swift importer cannot see: a macro of a character. */
static inline const char *cpostgresql_sqlstate(const PGresult *result) {
    return PQresultErrorField(result, 'C');
}

/* The same for the message without its detail, which may hold values of a row. */
static inline const char *cpostgresql_message(const PGresult *result) {
    return PQresultErrorField(result, 'M');
}

#endif
