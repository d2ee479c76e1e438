import Messages
import TestSupport
import Testing

@testable import postern

@Suite("Accounts as lines of JSON")
struct RecordLineTests {
    @Test("a written record is read back unchanged")
    func roundTrip() {
        let full = IdentityV1.AccountRecord(
            externalId: "u\"1", email: "ada@example.org", emailVerified: true,
            passwordHash: "$2b$04$x", displayName: "Ada\n", photoUrl: "https://x",
            phoneNumber: "+491",
            identities: [
                .init(method: "g", issuer: "i", subject: "s", email: "e", displayName: "d"),
                .init(method: "h", issuer: "i", subject: "t"),
            ], disabled: true, createdAtMs: 5, lastSignInAtMs: 6, language: "en",
            customClaims: #"{"a":[1,{"b":null}]}"#, source: "firebase",
            onboardingComplete: true, termsVersion: "1", privacyVersion: "2", marketing: true,
            analytics: true, roles: ["admin", "staff"])
        for record in [full, .init(externalId: "u2", phoneNumber: "+491", createdAtMs: 1)] {
            guard case .account(let read) = RecordLine.read(Array(RecordLine.text(record).utf8))
            else {
                Issue.record("no account")
                continue
            }
            #expect(read == record)
        }
        let shared = IdentityV1.HashParameters(
            parametersId: 3, signerKey: [1, 2, 3], saltSeparator: [7])
        if case .parameters(let read) = RecordLine.read(Array(RecordLine.text(shared).utf8)) {
            #expect(read == shared)
        } else {
            Issue.record("no parameters")
        }
    }

    @Test("an unknown member, or one of the wrong type, is rejected: nothing is lost silently")
    func refused() {
        for (line, field) in [
            (#"{"external_id":"1","passwordHash":"x"}"#, "passwordHash"),
            (#"{"external_id":"1","email_verified":"true"}"#, "email_verified"),
            (#"{"external_id":"1","created_at_ms":1.5}"#, "created_at_ms"),
            (#"{"external_id":"1","custom_claims":"{}"}"#, "custom_claims"),
            (#"{"external_id":"1","roles":["a",1]}"#, "roles"),
            (#"{"external_id":"1","roles":"a"}"#, "roles"),
            (#"{"external_id":"1","identities":[{"method":"g","uid":"x"}]}"#, "identities"),
            (#"{"hash_parameters":{"parameters_id":1}}"#, "hash_parameters"),
            ("x", "no JSON object of 64 KiB at the most"),
        ] {
            guard case .refused(let refused) = RecordLine.read(Array(line.utf8)) else {
                Issue.record("accepted: \(line)")
                continue
            }
            #expect(refused.field == field)
        }
    }
}
