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
    let house: IdentityFixture
    let scene: ImportFixture

    init() throws {
        house = try IdentityFixture()
        scene = ImportFixture(house)
    }

    @Test("no failure waits if all stored passwords have the service's own scheme")
    func ours() async throws {
        _ = try await house.register()
        let error = try await refusal { try await house.signIn(password: "Wrong7Horse") }
        #expect(error == ServiceError(.invalidCredential))
        #expect(try await house.slots.slot() == .zero)
        #expect(house.passwords.gathersAnswers)
    }

    @Test("H2: a deadline inside the slot is refused unprocessed, whatever the password")
    func shortDeadline() async throws {
        try house.slots.know(
            PasswordScheme(name: "$2b$04"), takes: .milliseconds(400))
        let account = try #require(try await house.register("own@example.org").account)
        let session = house.devices.session(of: house.devices.open(account.accountId))
        _ = try await scene.take([ImportFixture.record()])
        let audited = try await house.count("audit")
        func context(_ milliseconds: Int) -> CallContext {
            CallContext(deadline: house.time.uptime() + .milliseconds(milliseconds))
        }
        func verify(_ password: SecretBytes, _ context: CallContext) async throws {
            _ = try await house.accounts.verifyPassword(
                .init(
                    email: "own@example.org", password: password, origin: IdentityFixture.origin),
                context)
        }
        let refused = ServiceError(.deadlineExceeded, notProcessed: true)
        for password: SecretBytes in ["Correct7Horse", "Wrong7Horse"] {
            #expect(try await refusal { try await verify(password, context(649)) } == refused)
            let change = try await refusal {
                try await house.credentials.changePassword(
                    .init(
                        accountId: account.accountId, sessionId: session,
                        currentPassword: password, newPassword: "Another7Horse",
                        origin: IdentityFixture.origin), context(649))
            }
            let resend = try await refusal {
                try await house.emails.resendVerificationByPassword(
                    .init(
                        email: "own@example.org", password: password,
                        origin: IdentityFixture.origin), context(649))
            }
            #expect([change, resend] == [refused, refused])
        }
        #expect(try await house.count("audit") == audited)
        try await verify("Correct7Horse", context(650))
    }

    @Test("all failures return at the end of the slowest scheme's slot")
    func alike() async throws {
        try house.slots.know(
            PasswordScheme(name: "$2b$04"), takes: .milliseconds(400))
        _ = try await house.register("own@example.org")
        var bare = ImportFixture.record("u2", email: "bare@example.org")
        bare.passwordHash = ""
        _ = try await scene.take([ImportFixture.record(), bare])
        // Batched completions would reveal the scheme by their time.
        #expect(!house.passwords.gathersAnswers)
        for email in [
            "nobody@example.org", "own@example.org", "ada@example.org", "bare@example.org",
        ] {
            let attempt = Task { [house] in
                try await refusal { try await house.signIn(email, password: "Wrong7Horse") }
            }
            await house.time.sleepers(1)
            house.time.advance(by: .milliseconds(599))
            #expect(try await house.count("audit", where: "kind = 'sign-in.failed'") == 0)
            house.time.advance(by: .milliseconds(1))
            #expect(try await attempt.value == ServiceError(.invalidCredential))
            try await house.change("DELETE FROM audit")
        }
        // A right password does not wait.
        _ = try await house.signIn()
    }

    @Test("the slot covers the service's own schemes, current and former, if they are slowest")
    func oursCounts() async throws {
        func slots(_ times: [(PasswordScheme, Duration)]) -> ResponseTimeFloor {
            let slots = ResponseTimeFloor(
                store: house.store, passwords: house.passwords, time: house.time,
                logger: house.log.logger(time: house.time))
            for (scheme, time) in times { slots.know(scheme, takes: time) }
            return slots
        }
        let own = (house.passwords.ownScheme, Duration.milliseconds(100))
        let quick = (try PasswordScheme(name: "$2b$04"), Duration.milliseconds(10))
        let imported = slots([own, quick])
        try await imported.add([quick.0])
        #expect(try await imported.slot() == .milliseconds(150))
        _ = try await house.register()
        // Passwords from before the operator lowered the cost have the standard scheme.
        try await house.change("DELETE FROM own_password_schemes")
        house.time.advance(by: .seconds(1))
        let former = (try house.passwords.standardScheme(), Duration.milliseconds(400))
        #expect(try await slots([own, former]).slot() == .milliseconds(600))
    }

    @Test("a failure whose caller has cancelled is still audited")
    func cancelled() async throws {
        try house.slots.know(
            PasswordScheme(name: "$2b$04"), takes: .milliseconds(400))
        _ = try await scene.take([ImportFixture.record()])
        let attempt = Task { [house] in
            try await refusal { try await house.signIn(password: "Wrong7Horse") }
        }
        await house.time.sleepers(1)
        attempt.cancel()
        #expect(try await attempt.value == ServiceError(.invalidCredential))
        #expect(try await house.count("audit", where: "kind = 'sign-in.failed'") == 1)
    }

    @Test("stored schemes are read at start, and dropped once no account uses them")
    func restart() async throws {
        _ = try await scene.take([ImportFixture.record()])
        func slots() throws -> ResponseTimeFloor {
            let slots = ResponseTimeFloor(
                store: house.store, passwords: house.passwords, time: house.time,
                logger: house.log.logger(time: house.time))
            try slots.know(PasswordScheme(name: "$2b$04"), takes: .milliseconds(100))
            return slots
        }
        #expect(try await slots().slot() == .milliseconds(150))
        _ = try await house.signIn()
        #expect(try await slots().slot() == .zero)
        #expect(house.passwords.gathersAnswers)
    }

    @Test("each stored scheme is listed once, whatever the number of accounts")
    func schemes() async throws {
        var records = (0..<30).map { ImportFixture.record("u\($0)", email: "u\($0)@example.org") }
        for place in 0..<10 {
            records[place].passwordHash =
                "$pbkdf2-sha256$i=1000$AAAA$AAECAwQFBgcICQoLDA0ODw"
        }
        records[29].passwordHash = ""
        _ = try await scene.take(records)
        let schemes = try await house.store.read { try $0.storedPasswordSchemes() }
        #expect(schemes == ["$2b$04", "$pbkdf2-sha256$i=1024"])
    }
}
