import Cryptography
import Messages
import RPC
import ServiceRuntime
import Storage
import TestSupport
import Testing

@testable import IdentityService

@Suite("X-02: the time that a failed sign-in takes", .timeLimit(.minutes(1)))
struct ResponseTimeFloorTests {
    let fixture: IdentityFixture
    let imports: ImportFixture

    init() throws {
        fixture = try IdentityFixture()
        imports = ImportFixture(fixture)
    }

    @Test("no failure waits if all stored passwords have the service's own scheme")
    func ours() async throws {
        _ = try await fixture.register()
        let error = try await refusal { try await fixture.signIn(password: "Wrong7Horse") }
        #expect(error == ServiceError(.invalidCredential))
        #expect(try await fixture.responseTimeFloor.floor() == .zero)
        #expect(fixture.passwords.gathersAnswers)
    }

    @Test("H2: a deadline before the floor is refused unprocessed, whatever the password")
    func shortDeadline() async throws {
        try fixture.responseTimeFloor.know(
            PasswordScheme(name: "$2b$04"), takes: .milliseconds(400))
        let account = try #require(try await fixture.register("own@example.org").account)
        let session = fixture.devices.open(account.accountId)
        _ = try await imports.take([ImportFixture.record()])
        let audited = try await fixture.count("audit")
        func context(_ milliseconds: Int) -> CallContext {
            CallContext(deadline: fixture.time.uptime() + .milliseconds(milliseconds))
        }
        func verify(_ password: SecretBytes, _ context: CallContext) async throws {
            _ = try await fixture.accounts.verifyPassword(
                .init(
                    signIn: .init(
                        email: "own@example.org", password: password,
                        device: IdentityFixture.device)),
                context)
        }
        let refused = ServiceError(.deadlineExceeded, notProcessed: true)
        for password: SecretBytes in ["Correct7Horse", "Wrong7Horse"] {
            #expect(try await refusal { try await verify(password, context(649)) } == refused)
            let change = try await refusal {
                try await fixture.credentials.changePassword(
                    .init(
                        currentPassword: password, newPassword: "Another7Horse",
                        device: IdentityFixture.device), context(649).bearing(session))
            }
            let resend = try await refusal {
                try await fixture.emails.resendVerificationByPassword(
                    .init(
                        email: "own@example.org", password: password,
                        device: IdentityFixture.device), context(649))
            }
            let correction = try await refusal {
                try await fixture.emails.correctEmail(
                    .init(
                        correction: .init(
                            email: "own@example.org", password: password,
                            newEmail: "new@example.org", device: IdentityFixture.device)),
                    context(649))
            }
            #expect([change, resend, correction] == [refused, refused, refused])
        }
        #expect(try await fixture.count("audit") == audited)
        try await verify("Correct7Horse", context(650))
    }

    @Test("all failures return at the end of the slowest scheme's time")
    func alike() async throws {
        try fixture.responseTimeFloor.know(
            PasswordScheme(name: "$2b$04"), takes: .milliseconds(400))
        _ = try await fixture.register("own@example.org")
        var bare = ImportFixture.record("u2", email: "bare@example.org")
        bare.passwordHash = ""
        _ = try await imports.take([ImportFixture.record(), bare])
        // Batched completions would reveal the scheme by their time.
        #expect(!fixture.passwords.gathersAnswers)
        for email in [
            "nobody@example.org", "own@example.org", "ada@example.org", "bare@example.org",
        ] {
            let attempt = Task { [fixture] in
                try await refusal { try await fixture.signIn(email, password: "Wrong7Horse") }
            }
            await fixture.time.sleepers(1)
            fixture.time.advance(by: .milliseconds(599))
            #expect(try await fixture.count("audit", where: "kind = 'sign-in.failed'") == 0)
            fixture.time.advance(by: .milliseconds(1))
            #expect(try await attempt.value == ServiceError(.invalidCredential))
            try await fixture.change("DELETE FROM audit")
        }
        // A right password does not wait.
        _ = try await fixture.signIn()
    }

    @Test("X-02: a correction that its account does not allow takes as long as a wrong password")
    func correction() async throws {
        try fixture.responseTimeFloor.know(
            PasswordScheme(name: "$2b$04"), takes: .milliseconds(400))
        _ = try await fixture.registerProved()
        _ = try await imports.take([ImportFixture.record("u2", email: "old@example.org")])
        for password in ["Correct7Horse", "Wrong7Horse"] {
            let attempt = Task { [fixture] in
                try await refusal {
                    try await fixture.correct(to: "new@example.org", password: password)
                }
            }
            await fixture.time.sleepers(1)
            fixture.time.advance(by: .milliseconds(599))
            #expect(try await fixture.audited("sign-in.failed") == 0)
            fixture.time.advance(by: .milliseconds(1))
            #expect(try await attempt.value == ServiceError(.invalidCredential))
            try await fixture.change("DELETE FROM audit")
        }
    }

    @Test("the floor covers the service's own schemes, current and former, if they are slowest")
    func oursCounts() async throws {
        func responseTimeFloor(_ times: [(PasswordScheme, Duration)]) -> ResponseTimeFloor {
            let responseTimeFloor = ResponseTimeFloor(
                store: fixture.store, passwords: fixture.passwords, time: fixture.time,
                logger: fixture.log.logger(time: fixture.time))
            for (scheme, time) in times { responseTimeFloor.know(scheme, takes: time) }
            return responseTimeFloor
        }
        let own = (fixture.passwords.ownScheme, Duration.milliseconds(100))
        let quick = (try PasswordScheme(name: "$2b$04"), Duration.milliseconds(10))
        let imported = responseTimeFloor([own, quick])
        try await imported.add([quick.0])
        #expect(try await imported.floor() == .milliseconds(150))
        _ = try await fixture.register()
        // Passwords from before the operator lowered the cost have the standard scheme.
        try await fixture.change("DELETE FROM own_password_schemes")
        fixture.time.advance(by: .seconds(1))
        let former = (try fixture.passwords.standardScheme(), Duration.milliseconds(400))
        #expect(try await responseTimeFloor([own, former]).floor() == .milliseconds(600))
    }

    @Test("a failure whose caller has cancelled is still audited")
    func cancelled() async throws {
        try fixture.responseTimeFloor.know(
            PasswordScheme(name: "$2b$04"), takes: .milliseconds(400))
        _ = try await imports.take([ImportFixture.record()])
        let attempt = Task { [fixture] in
            try await refusal { try await fixture.signIn(password: "Wrong7Horse") }
        }
        await fixture.time.sleepers(1)
        attempt.cancel()
        #expect(try await attempt.value == ServiceError(.invalidCredential))
        #expect(try await fixture.count("audit", where: "kind = 'sign-in.failed'") == 1)
    }

    @Test("stored schemes are read at start, and dropped once no account uses them")
    func restart() async throws {
        _ = try await imports.take([ImportFixture.record()])
        func responseTimeFloor() throws -> ResponseTimeFloor {
            let responseTimeFloor = ResponseTimeFloor(
                store: fixture.store, passwords: fixture.passwords, time: fixture.time,
                logger: fixture.log.logger(time: fixture.time))
            try responseTimeFloor.know(PasswordScheme(name: "$2b$04"), takes: .milliseconds(100))
            return responseTimeFloor
        }
        #expect(try await responseTimeFloor().floor() == .milliseconds(150))
        _ = try await fixture.signIn()
        #expect(try await responseTimeFloor().floor() == .zero)
        #expect(fixture.passwords.gathersAnswers)
    }

    @Test("each stored scheme is listed once, whatever the number of accounts")
    func schemes() async throws {
        var records = (0..<30).map { ImportFixture.record("u\($0)", email: "u\($0)@example.org") }
        for place in 0..<10 {
            records[place].passwordHash =
                "$pbkdf2-sha256$i=1000$AAAA$AAECAwQFBgcICQoLDA0ODw"
        }
        records[29].passwordHash = ""
        _ = try await imports.take(records)
        let schemes = try await fixture.store.read { try $0.storedPasswordSchemes() }
        #expect(schemes == ["$2b$04", "$pbkdf2-sha256$i=1024"])
    }
}
