import Testing

@testable import Storage

@Suite("Why a server accepts no connection")
struct ServerAnswerTests {
    /// As libpq 15 and PostgreSQL 15 word them.
    static let answers: [(detail: String, advice: String, isPassing: Bool)] = [
        (
            """
            connection to server on socket "/a/.s.PGSQL.5432" failed: No such file or directory
            \tIs the server running locally and accepting connections on that socket?

            """, "check store-url", true
        ),
        ("FATAL:  the database system is starting up", "check store-url", true),
        ("FATAL:  sorry, too many clients already", "max_connections in postgresql.conf", true),
        ("session is read-only", "the primary server", true),
        ("fe_sendauth: no password supplied", "set store-password-file", false),
        (
            "FATAL:  password authentication failed for user \"a\"", "the password of this role",
            false
        ),
        ("FATAL:  no pg_hba.conf entry for host \"::1\"", "pg_hba.conf", false),
        ("FATAL:  Peer authentication failed for user \"a\"", "pg_hba.conf", false),
        ("FATAL:  role \"a\" does not exist", "make the role", false),
        ("FATAL:  database \"a\" does not exist", "make the role and the database", false),
        ("root certificate file \"/a\" does not exist", "set store-ca-file", false),
        ("SSL error: certificate verify failed", "set store-ca-file", false),
        ("server does not support SSL, but SSL was required", "ssl = on", false),
    ]

    @Test("each is told with what to set, and waited for only where waiting can help")
    func meanings() {
        for (detail, advice, isPassing) in Self.answers {
            let answer = ServerAnswer(SQLError(.unreachable, detail: detail))
            #expect(answer.advice.contains(advice), "\(detail): \(answer.advice)")
            #expect(answer.isPassing == isPassing, "\(detail)")
            #expect(!answer.text.contains { $0.isNewline || $0 == "\t" })
        }
    }
}
