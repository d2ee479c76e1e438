import ServiceRuntime
import Storage
import TestSupport
import Testing

@testable import IdentityService

@Suite("I-06: rows of the identity service that expire are deleted")
struct IdentityPurgesTests {
    private static let tables = [
        "links", "email_changes", "claims", "phone_codes", "number_changes", "used_nonces",
        "provider_notices", "underage_devices", "notices", "unrequested_mails", "guesses",
        "sign_in_challenges",
    ]

    /// Inserts a row into each table.
    private func insert(_ number: Int, expiresAt moment: Int64, _ fixture: IdentityFixture)
        async throws
    {
        let key = "x'0\(number)'"
        let rows = [
            "accounts (account, status, created_at_ms) VALUES (\(number), 1, 1)",
            """
            links (link, token_hash, purpose, account, address_key, expires_at_ms)
            VALUES (\(number), \(key), 1, \(number), x'', \(moment))
            """,
            """
            email_changes
                (account, token_hash, address_key, address, requested_at_ms, expires_at_ms)
            VALUES (\(number), \(key), x'', x'', 1, \(moment))
            """,
            """
            claims (account, token_hash, address_key, address, password_hash, claimed_at_ms,
                expires_at_ms)
            VALUES (\(number), \(key), x'', x'', x'', 1, \(moment))
            """,
            """
            phone_codes (code, number_key, purpose, code_hash, stage, evaluated, expires_at_ms)
            VALUES (\(number), \(key), 1, x'', 1, 0, \(moment))
            """,
            """
            sign_in_challenges (challenge, token_hash, account, session_generation, reason, kinds,
                device, is_known_device, details, attempts, expires_at_ms)
            VALUES (\(number), \(key), \(number), 1, 4, 'password', x'', 0, x'', 0, \(moment))
            """,
            "number_changes (number_key, told_at_ms) VALUES (\(key), \(moment))",
            "used_nonces (nonce_key, expires_at_ms) VALUES (\(key), \(moment))",
            "provider_notices (notice_key, expires_at_ms) VALUES (\(key), \(moment))",
            "underage_devices (device_key, expires_at_ms) VALUES (\(key), \(moment))",
            "notices (account, kind, mailed_at_ms) VALUES (\(number), 1, \(moment))",
            "unrequested_mails (address_key, mailed_at_ms) VALUES (\(key), \(moment))",
            "guesses (charge, is_wrong, expires_at_ms) VALUES (\(number), 1, \(moment))",
        ]
        for row in rows { try await fixture.change("INSERT INTO \(row)") }
    }

    @Test("an expired row of each table goes, and one that lives stays")
    func all() async throws {
        let fixture = try IdentityFixture()
        try await insert(1, expiresAt: 1, fixture)
        try await insert(2, expiresAt: fixture.time.now().milliseconds + 1_000, fixture)
        try await fixture.purge()
        for table in Self.tables {
            #expect(try await fixture.count(table) == 1, "\(table)")
        }
        #expect(try await fixture.count("links", where: "link = 2") == 1)
    }

    @Test("G-05: a nonce whose row is left over stays refused")
    func leftOver() async throws {
        let fixture = try IdentityFixture()
        _ = try await fixture.signIn(by: .token("g1", nonce: "n1"))
        try await fixture.change("UPDATE used_nonces SET expires_at_ms = 1")
        let used = try await refusal { try await fixture.signIn(by: .token("g1", nonce: "n1")) }
        #expect(used.code == .invalidNonce)
    }
}
