/* The peers of benches/compare, through their plainest clients: what a program that uses them directly pays.

   peer redis SOCKET | beanstalkd PORT | sqlite FILE | postgresql CONNINFO   setup | one | many N | drain
   one: a job from standard input. many: N jobs in one call (pipeline or transaction). drain: up to 100 at a time, nothing
   is done with them; prints how many. Compiled with -DSQLITE and -DPOSTGRESQL where their libraries are. */
#include <arpa/inet.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>
#ifdef SQLITE
#include <sqlite3.h>
#endif
#ifdef POSTGRESQL
#include <libpq-fe.h>
#endif

enum { TOGETHER = 100 };
static char job[1 << 16];
static size_t job_len;
static void die(const char *why) {
    fprintf(stderr, "peer: %s\n", why);
    exit(1);
}
static void read_job(void) {
    long got;
    while ((got = read(0, job + job_len, sizeof job - job_len - 1)) > 0) job_len += got;
}

/* A conversation: what is said is kept until something is to be heard. */
static FILE *hear, *say;
static void talk(int line, const void *to, socklen_t len) {
    if (line < 0 || connect(line, to, len)) die("cannot connect");
    hear = fdopen(line, "r");
    say = fdopen(dup(line), "w");
}
static char *heard(void) {
    static char text[1 << 16];
    fflush(say);
    if (!fgets(text, sizeof text, hear)) die("no answer");
    if (text[0] == '-') die(text);
    return text;
}
static void skip(long len) {
    while (len-- > 0) getc(hear);
}

static void redis(const char *path, const char *verb, long count) {
    struct sockaddr_un to = {.sun_family = AF_UNIX};
    strncpy(to.sun_path, path, sizeof to.sun_path - 1);
    talk(socket(AF_UNIX, SOCK_STREAM, 0), &to, sizeof to);
    if (strcmp(verb, "drain")) {
        for (long i = 0; i < count; i++) fprintf(say, "*3\r\n$5\r\nRPUSH\r\n$4\r\njobs\r\n$%zu\r\n%s\r\n", job_len, job);
        for (long i = 0; i < count; i++) heard();
        return;
    }
    long done = 0, found;
    do {
        fprintf(say, "*3\r\n$4\r\nLPOP\r\n$4\r\njobs\r\n$3\r\n%d\r\n", TOGETHER);
        found = atol(heard() + 1);
        for (long i = 0; i < found; i++) skip(atol(heard() + 1) + 2);
        done += found > 0 ? found : 0;
    } while (found > 0);
    printf("%ld\n", done);
}

static void beanstalkd(const char *port, const char *verb, long count) {
    struct sockaddr_in to = {.sin_family = AF_INET, .sin_port = htons(atoi(port)), .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    talk(socket(AF_INET, SOCK_STREAM, 0), &to, sizeof to);
    if (strcmp(verb, "drain")) {
        for (long i = 0; i < count; i++) fprintf(say, "put 0 0 60 %zu\r\n%s\r\n", job_len, job);
        for (long i = 0; i < count; i++)
            if (strncmp(heard(), "INSERTED", 8)) die("not inserted");
        return;
    }
    long done = 0, found;
    do {
        char ids[TOGETHER][32];
        for (int i = 0; i < TOGETHER; i++) fprintf(say, "reserve-with-timeout 0\r\n");
        found = 0;
        for (int i = 0; i < TOGETHER; i++) {
            long len;
            if (sscanf(heard(), "RESERVED %31s %ld", ids[found], &len) == 2) skip(len + 2), found++;
        }
        for (long i = 0; i < found; i++) fprintf(say, "delete %s\r\n", ids[i]);
        for (long i = 0; i < found; i++) heard();
        done += found;
    } while (found);
    printf("%ld\n", done);
}

#ifdef SQLITE
static sqlite3 *db;
static void run(const char *sql) {
    if (sqlite3_exec(db, sql, NULL, NULL, NULL)) die(sqlite3_errmsg(db));
}
static void sqlite(const char *path, const char *verb, long count) {
    if (sqlite3_open(path, &db)) die("cannot open the database");
    sqlite3_busy_timeout(db, 10000);
    if (!strcmp(verb, "setup")) {
        run("PRAGMA journal_mode=WAL; CREATE TABLE jobs (id INTEGER PRIMARY KEY, job BLOB)");
        return;
    }
    run("PRAGMA synchronous=FULL");
    /* What is in the log is durable: a fresh process need not empty it at its end. */
    sqlite3_db_config(db, SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, 1, NULL);
    sqlite3_stmt *statement;
    if (strcmp(verb, "drain")) {
        sqlite3_prepare_v2(db, "INSERT INTO jobs (job) VALUES (?)", -1, &statement, NULL);
        if (count > 1) run("BEGIN IMMEDIATE");
        for (long i = 0; i < count; i++) {
            sqlite3_bind_blob(statement, 1, job, job_len, SQLITE_STATIC);
            if (sqlite3_step(statement) != SQLITE_DONE) die(sqlite3_errmsg(db));
            sqlite3_reset(statement);
        }
        if (count > 1) run("COMMIT");
    } else {
        long done = 0, found;
        sqlite3_prepare_v2(db, "DELETE FROM jobs WHERE id IN (SELECT id FROM jobs ORDER BY id LIMIT 100) RETURNING job", -1, &statement, NULL);
        do {
            for (found = 0; sqlite3_step(statement) == SQLITE_ROW; found++) {}
            sqlite3_reset(statement);
            done += found;
        } while (found);
        printf("%ld\n", done);
    }
    sqlite3_finalize(statement);
    sqlite3_close(db);
}
#endif

#ifdef POSTGRESQL
static PGconn *pg;
static int asked(const char *sql) {
    PGresult *result = PQexec(pg, sql);
    if (PQresultStatus(result) != PGRES_COMMAND_OK && PQresultStatus(result) != PGRES_TUPLES_OK) die(PQerrorMessage(pg));
    int rows = PQntuples(result);
    PQclear(result);
    return rows;
}
static void postgresql(const char *where, const char *verb, long count) {
    pg = PQconnectdb(where);
    if (PQstatus(pg) != CONNECTION_OK) die(PQerrorMessage(pg));
    if (!strcmp(verb, "setup")) {
        asked("CREATE TABLE jobs (id bigserial PRIMARY KEY, job text)");
        return;
    }
    if (!strcmp(verb, "drain")) {
        long done = 0, found;
        do {
            found = asked("DELETE FROM jobs WHERE id IN (SELECT id FROM jobs ORDER BY id LIMIT 100 FOR UPDATE SKIP LOCKED) RETURNING job");
            done += found;
        } while (found);
        printf("%ld\n", done);
        return;
    }
    const char *values[] = {job};
    PQenterPipelineMode(pg);
    for (long i = 0; i < count; i++)
        if (!PQsendQueryParams(pg, "INSERT INTO jobs (job) VALUES ($1)", 1, NULL, values, NULL, NULL, 0)) die(PQerrorMessage(pg));
    PQpipelineSync(pg);
    for (long i = 0; i < count; i++) {
        PGresult *result = PQgetResult(pg);
        if (PQresultStatus(result) != PGRES_COMMAND_OK) die(PQerrorMessage(pg));
        PQclear(result);
        PQgetResult(pg);
    }
    /* All of it is one transaction, committed before the sync is answered. */
    PGresult *end = PQgetResult(pg);
    if (PQresultStatus(end) != PGRES_PIPELINE_SYNC) die(PQerrorMessage(pg));
    PQfinish(pg);
}
#endif

int main(int argc, char **argv) {
    if (argc < 4) return 2;
    const char *verb = argv[3];
    long count = argc > 4 ? atol(argv[4]) : 1;
    if (!strcmp(verb, "one") || !strcmp(verb, "many")) read_job();
    if (!strcmp(argv[1], "redis")) redis(argv[2], verb, count);
    else if (!strcmp(argv[1], "beanstalkd")) beanstalkd(argv[2], verb, count);
#ifdef SQLITE
    else if (!strcmp(argv[1], "sqlite")) sqlite(argv[2], verb, count);
#endif
#ifdef POSTGRESQL
    else if (!strcmp(argv[1], "postgresql")) postgresql(argv[2], verb, count);
#endif
    else return 3;
    return 0;
}
