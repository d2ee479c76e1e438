// Refreshes of sessions by libpq alone: the least that a service on a PostgreSQL server can do.
//
//   refresh_floor CONNINFO SCHEMA TEXTS CONNECTIONS SECONDS
//
// The statements are those of a refresh (TEXTS: select, update, insert, a line each), and the locks
// those of the store: an advisory lock of the transaction. Two round trips in pipeline mode:
//
//   BEGIN; lock; SELECT        UPDATE; INSERT; COMMIT
//
// Each connection has a thread and its own part of the sessions of SCHEMA. Prints refreshes a second
// and the CPU time of this process for each of them.

#include <endian.h>
#include <libpq-fe.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>

enum { SESSIONS_MAX = 65536, CONNECTIONS_MAX = 64, TEXT_MAX = 1024, AUDIT_PARAMETERS = 11 };

struct session {
    int64_t id, account, counter;
};

static struct session sessions[SESSIONS_MAX];
static int session_count, connection_count;
static const char *conninfo, *schema;
static char texts[3][TEXT_MAX];
static double deadline;

struct worker {
    pthread_t thread;
    int number;
    long done;
};

static void fail(const char *form, ...) {
    va_list arguments;
    va_start(arguments, form);
    vfprintf(stderr, form, arguments);
    va_end(arguments);
    fputc('\n', stderr);
    exit(1);
}

static double now(void) {
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return time.tv_sec + time.tv_nsec / 1e9;
}

static int64_t now_ms(void) {
    struct timespec time;
    clock_gettime(CLOCK_REALTIME, &time);
    return time.tv_sec * 1000 + time.tv_nsec / 1000000;
}

static double cpu_seconds(void) {
    struct rusage usage;
    getrusage(RUSAGE_SELF, &usage);
    return usage.ru_utime.tv_sec + usage.ru_utime.tv_usec / 1e6 + usage.ru_stime.tv_sec +
           usage.ru_stime.tv_usec / 1e6;
}

static void require(PGconn *connection, PGresult *result, ExecStatusType wanted) {
    if (PQresultStatus(result) != wanted) fail("%s", PQerrorMessage(connection));
    PQclear(result);
}

static PGconn *connected(void) {
    char set[TEXT_MAX];
    PGconn *connection = PQconnectdb(conninfo);
    if (PQstatus(connection) != CONNECTION_OK) fail("%s", PQerrorMessage(connection));
    snprintf(set, sizeof set, "SET search_path TO \"%s\"", schema);
    require(connection, PQexec(connection, set), PGRES_COMMAND_OK);
    return connection;
}

static void prepare(PGconn *connection, const char *name, const char *text) {
    require(connection, PQprepare(connection, name, text, 0, NULL), PGRES_COMMAND_OK);
}

static void read_sessions(void) {
    PGconn *connection = connected();
    PGresult *result = PQexec(
        connection, "SELECT id, account, counter FROM session WHERE ended_at_ms IS NULL ORDER BY id");
    if (PQresultStatus(result) != PGRES_TUPLES_OK) fail("%s", PQerrorMessage(connection));
    session_count = PQntuples(result) < SESSIONS_MAX ? PQntuples(result) : SESSIONS_MAX;
    for (int row = 0; row < session_count; row++) {
        sessions[row].id = atoll(PQgetvalue(result, row, 0));
        sessions[row].account = atoll(PQgetvalue(result, row, 1));
        sessions[row].counter = atoll(PQgetvalue(result, row, 2));
    }
    PQclear(result);
    PQfinish(connection);
    if (session_count < connection_count) fail("the schema has too few sessions");
}

static void send(PGconn *connection, const char *name, int count, const char *const *values,
                 const int *lengths) {
    static const int binary[AUDIT_PARAMETERS] = {1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1};
    if (!PQsendQueryPrepared(connection, name, count, values, lengths, binary, 1))
        fail("%s", PQerrorMessage(connection));
}

// Reads the answers to so many statements, of which one has rows or a count to look at.
static void receive(PGconn *connection, int statements, int wanted, int has_rows) {
    if (!PQpipelineSync(connection)) fail("%s", PQerrorMessage(connection));
    for (int statement = 0; statement < statements; statement++) {
        PGresult *result = PQgetResult(connection);
        ExecStatusType status = PQresultStatus(result);
        if (status != PGRES_TUPLES_OK && status != PGRES_COMMAND_OK)
            fail("%s", PQerrorMessage(connection));
        if (statement == wanted &&
            (has_rows ? PQntuples(result) != 1 : strcmp(PQcmdTuples(result), "1") != 0))
            fail("a session was not found, or has changed");
        PQclear(result);
        if (PQgetResult(connection)) fail("a statement has two results");
    }
    require(connection, PQgetResult(connection), PGRES_PIPELINE_SYNC);
}

// PostgreSQL's array of one element: dimensions, nulls, type, count, first index, length, element.
static int array(uint8_t *bytes, uint32_t type, const void *element, uint32_t length) {
    uint32_t head[6] = {htobe32(1), 0, htobe32(type), htobe32(1), htobe32(1), htobe32(length)};
    memcpy(bytes, head, sizeof head);
    memcpy(bytes + sizeof head, element, length);
    return sizeof head + length;
}

static void refresh(PGconn *connection, struct session *session) {
    static const uint8_t shared[1] = {0}, hash[32] = {7};
    uint8_t keys[32], kinds[32];
    int64_t id = htobe64(session->id), account = htobe64(session->account);
    int64_t before = htobe64(session->counter), after = htobe64(session->counter + 1);
    int64_t moment = htobe64(now_ms());
    // As even as the store's keys, which are a hash's first bytes.
    int64_t key = htobe64((uint64_t)session->id * 0x9E3779B97F4A7C15u);

    const char *lock[] = {(char *)keys, (char *)kinds};
    int lock_lengths[] = {array(keys, 20, &key, 8), array(kinds, 16, shared, 1)};
    const char *select[] = {(char *)&id};
    send(connection, "begin", 0, NULL, NULL);
    send(connection, "lock", 2, lock, lock_lengths);
    send(connection, "select", 1, select, (int[]){8});
    receive(connection, 3, 2, 1);

    const char *update[] = {
        (char *)&after, (char *)&moment, (char *)&moment, (char *)&id, (char *)&before};
    const char *audit[AUDIT_PARAMETERS] = {
        (char *)&moment, "session.refreshed", (char *)&account, (char *)&id, NULL, (char *)hash,
        (char *)hash};
    int audit_lengths[AUDIT_PARAMETERS] = {8, 17, 8, 8, 0, 32, 32};
    send(connection, "update", 5, update, (int[]){8, 8, 8, 8, 8});
    send(connection, "audit", AUDIT_PARAMETERS, audit, audit_lengths);
    send(connection, "commit", 0, NULL, NULL);
    receive(connection, 3, 0, 0);
    session->counter++;
}

static void *work(void *argument) {
    struct worker *worker = argument;
    PGconn *connection = connected();
    prepare(connection, "begin", "BEGIN");
    prepare(connection, "lock",
            "SELECT CASE WHEN s THEN pg_advisory_xact_lock_shared(k) ELSE pg_advisory_xact_lock(k) "
            "END FROM unnest(CAST($1 AS bigint[]), CAST($2 AS boolean[])) AS wanted (k, s)");
    prepare(connection, "select", texts[0]);
    prepare(connection, "update", texts[1]);
    prepare(connection, "audit", texts[2]);
    prepare(connection, "commit", "COMMIT");
    if (!PQenterPipelineMode(connection)) fail("%s", PQerrorMessage(connection));
    int next = worker->number;
    while (now() < deadline) {
        refresh(connection, &sessions[next]);
        worker->done++;
        next += connection_count;
        if (next >= session_count) next = worker->number;
    }
    PQfinish(connection);
    return NULL;
}

int main(int count, char **arguments) {
    static struct worker workers[CONNECTIONS_MAX];
    if (count != 6) fail("usage: refresh_floor CONNINFO SCHEMA TEXTS CONNECTIONS SECONDS");
    conninfo = arguments[1];
    schema = arguments[2];
    FILE *file = fopen(arguments[3], "r");
    if (!file) fail("%s cannot be read", arguments[3]);
    for (int line = 0; line < 3; line++)
        if (!fgets(texts[line], TEXT_MAX, file)) fail("%s has too few lines", arguments[3]);
    fclose(file);
    connection_count = atoi(arguments[4]);
    if (connection_count < 1 || connection_count > CONNECTIONS_MAX) fail("CONNECTIONS: 1 to 64");
    read_sessions();

    double began = now(), cpu = cpu_seconds();
    deadline = began + atof(arguments[5]);
    for (int number = 0; number < connection_count; number++) {
        workers[number].number = number;
        if (pthread_create(&workers[number].thread, NULL, work, &workers[number]))
            fail("no thread");
    }
    long done = 0;
    for (int number = 0; number < connection_count; number++) {
        pthread_join(workers[number].thread, NULL);
        done += workers[number].done;
    }
    if (!done) fail("no refresh");
    printf("figure server-floor-%d %.0f refreshes/s\n", connection_count, done / (now() - began));
    printf("figure server-floor-%d-cpu %.2f µs\n", connection_count,
           (cpu_seconds() - cpu) / done * 1e6);
    return 0;
}
