import Contracts
import Cryptography
import Messages
import RPC
import ServiceRuntime
import Storage
import TestSupport
import Testing

@testable import IdentityService

@Suite("G-02: a mistyped address is corrected by the password", .timeLimit(.minutes(1)))
struct CorrectEmailTests {
    let fixture: IdentityFixture

    init() throws { fixture = try IdentityFixture(verification: .required) }

    @Test("G-02, D2: the address is replaced, the old link is void, and the new one confirms")
    func corrects() async throws {
        let ada = try #require(try await fixture.register("ada@exmaple.org").account).accountId
        try await fixture.relay()
        let former = try fixture.latestToken()
        try await fixture.correct("ada@exmaple.org", to: "Ada@example.org")
        try await fixture.relay()
        let mail = try #require(fixture.mail("verify-email"))
        #expect(mail.recipient == "Ada@example.org")
        let void = try await refusal {
            try await fixture.accounts.confirmEmail(
                .init(token: former, password: "Correct7Horse"), fixture.context())
        }
        #expect(void.code == .invalidLink)
        #expect(try await fixture.refusedSignIn("ada@exmaple.org") == .invalidCredential)
        #expect(try await fixture.refusedSignIn() == .emailNotVerified)
        let confirmed = try await fixture.accounts.confirmEmail(
            .init(token: try fixture.latestToken(), password: "Correct7Horse"), fixture.context())
        #expect(confirmed.account?.accountId == ada && confirmed.account?.emailVerified == true)
        #expect(try await fixture.signIn().account?.email == "Ada@example.org")
        #expect(try await fixture.audited("account.email-changed") == 1)
        // The former address is free.
        _ = try await fixture.register("ada@exmaple.org")
    }

    @Test("G-12, N-01: the old address is told without a link and without the device")
    func told() async throws {
        _ = try await fixture.register()
        try await fixture.correct(to: "new@example.org")
        try await fixture.relay()
        let told = try #require(fixture.mail("email-changed"))
        #expect(told.recipient == "ada@example.org")
        #expect(told.variables.first { $0.name == "address" }?.value == "new@example.org")
        #expect(!told.variables.contains { $0.value.contains("https://") })
    }

    @Test("G-02: an account whose sessions are live keeps them, and a pending change is dropped")
    func sessions() async throws {
        let fixture = try IdentityFixture()
        let ada = try await fixture.member()
        _ = try await fixture.requestChange("other@example.org", ada.token)
        try await fixture.correct(to: "new@example.org")
        try await fixture.relay()
        #expect(fixture.sessions.ended.isEmpty)
        #expect(try await fixture.pendingEmail(ada.id) == "")
        _ = try await fixture.signIn("new@example.org")
    }

    @Test("X-02: who keeps the address gets the answer to a wrong password, and the same record")
    func alike() async throws {
        for (name, arrange) in Self.keepers {
            let fixture = try IdentityFixture()
            try await arrange(fixture)
            let hashes = fixture.hashes
            let right = try await refusal { try await fixture.correct(to: "new@example.org") }
            let wrong = try await refusal {
                try await fixture.correct(to: "new@example.org", password: "Wrong7Horse")
            }
            let unknown = try await refusal {
                try await fixture.correct("nobody@example.org", to: "new@example.org")
            }
            #expect(right == ServiceError(.invalidCredential), "\(name)")
            #expect(wrong == right && unknown == right, "\(name)")
            #expect(fixture.hashes == hashes + 3, "\(name)")
            let recorded = try await fixture.count(
                "audit",
                where: """
                    kind = 'sign-in.failed' AND outcome = 'auth/invalid-credential'
                    AND account IS NOT NULL
                    """)
            #expect(recorded == 2, "\(name)")
            #expect(try await fixture.audited("account.email-changed") == 0, "\(name)")
        }
    }

    /// Accounts that keep their address, whatever the password.
    private static let keepers: [(String, @Sendable (IdentityFixture) async throws -> Void)] = [
        ("verified", { _ = try await $0.registerProved() }),
        (
            "with a provider",
            { fixture in
                let ada = try await fixture.member()
                _ = try await fixture.link(.token("g1"), in: ada.token)
            }
        ),
        (
            "with a second factor",
            { fixture in
                let ada = try await fixture.member()
                _ = try await fixture.plantFactor(in: ada.id)
            }
        ),
        (
            "suspended",
            { fixture in
                _ = try await fixture.register()
                try await fixture.change("UPDATE accounts SET status = 2")
            }
        ),
        (
            "disowned",
            { fixture in
                _ = try await fixture.register()
                try await fixture.change("UPDATE passwords SET disowned_at_ms = changed_at_ms")
            }
        ),
    ]

    @Test(
        "the rule follows its table",
        arguments: [
            (false, ["password"], false, .active, true),
            (false, ["password"], false, .pendingVerification, true),
            (true, ["password"], false, .active, false),
            (false, ["password", "google"], false, .active, false),
            (false, ["password", "phone"], false, .active, false),
            (false, ["google"], false, .active, false), (false, [], false, .active, false),
            (false, ["password"], true, .active, false),
            (false, ["password"], false, .suspended, false),
            (false, ["password"], false, .deleting, false),
        ] as [(Bool, [String], Bool, AccountStatus, Bool)])
    func rule(
        isProved: Bool, methods: [String], hasFactor: Bool, status: AccountStatus, replaces: Bool
    ) {
        #expect(
            CorrectionRule.replaces(
                isProved: isProved, methods: methods.map(SignInMethod.init(name:)),
                hasSecondFactor: hasFactor, status: status) == replaces)
    }

    @Test("G-02: a taken address is reported to the right password only, and its owner is mailed")
    func taken() async throws {
        _ = try await fixture.register()
        _ = try await fixture.register("bob@example.org")
        let wrong = try await refusal {
            try await fixture.correct(to: "bob@example.org", password: "Wrong7Horse")
        }
        #expect(wrong == ServiceError(.invalidCredential))
        try await fixture.relay()
        #expect(fixture.mail("email-already-registered") == nil)
        for _ in 0..<2 {
            let right = try await refusal {
                try await fixture.correct(to: "BOB@example.org", key: "k")
            }
            #expect(right == ServiceError(.emailAlreadyInUse, fields: ["new_email"]))
        }
        #expect(
            try await fixture.audited(
                "account.email-change-refused", outcome: "auth/email-already-in-use") == 2)
        #expect(try await fixture.audited("sign-in.new-device") == 0, "it signed up from there")
        // The address is unverified, so its owner's status does not let it be mailed.
        try await fixture.relay()
        #expect(fixture.mail("email-already-registered") == nil)
        #expect(try await fixture.refusedSignIn() == .emailNotVerified)
    }

    @Test("G-02: the owner of a taken address gets one mail for all repeats, and none if withheld")
    func takenMail() async throws {
        let fixture = try IdentityFixture()
        _ = try await fixture.registerProved("bob@example.org")
        _ = try await fixture.register()
        func mails() async throws -> Int {
            try await fixture.relay()
            return fixture.notifications.mails.count { $0.template == "email-already-registered" }
        }
        _ = try await refusal {
            try await fixture.correct(to: "bob@example.org", isWithheld: true)
        }
        #expect(try await mails() == 0)
        for _ in 0..<2 {
            _ = try await refusal {
                try await fixture.correct(to: "bob@example.org", key: "k", on: "thief")
            }
        }
        #expect(try await mails() == 1)
        #expect(try await fixture.audited("sign-in.new-device") == 1)
    }

    @Test("G-02: above the limit of its mails the address is replaced, and gets none")
    func withheld() async throws {
        _ = try await fixture.register()
        try await fixture.relay()
        try await fixture.correct(to: "new@example.org", isWithheld: true)
        try await fixture.relay()
        #expect(fixture.mail("verify-email")?.recipient == "ada@example.org")
        #expect(try await fixture.refusedSignIn("new@example.org") == .emailNotVerified)
    }

    @Test("G-02: no address, the own one and a text that is none are refused before the password")
    func malformed() async throws {
        _ = try await fixture.register()
        let hashes = fixture.hashes
        let none = try await refusal { try await fixture.correct(to: "new@") }
        #expect(none == ServiceError(.invalidEmail, fields: ["new_email"]))
        let own = try await refusal { try await fixture.correct(to: "ADA@example.org") }
        #expect(own == ServiceError.ownAddress(field: "new_email"))
        let others = try await refusal {
            try await fixture.correct("nobody@example.org", to: "Nobody@example.org")
        }
        #expect(others == own, "whether or not it has an account")
        let old = try await refusal { try await fixture.correct("x", to: "new@example.org") }
        #expect(old == ServiceError(.invalidEmail, fields: ["email"]))
        #expect(fixture.hashes == hashes)
    }

    @Test("X-02: with strict enumeration the call is refused, whatever it names")
    func strict() async throws {
        let friendly = try IdentityFixture()
        _ = try await friendly.register()
        _ = try await friendly.register("bob@example.org")
        friendly.store.close()
        let fixture = try IdentityFixture(
            folder: friendly.folder, time: friendly.time, seed: 2, enumeration: .strict)
        for new in ["bob@example.org", "free@example.org"] {
            for password in ["Correct7Horse", "Wrong7Horse"] {
                let refused = try await refusal {
                    try await fixture.correct(to: new, password: password)
                }
                #expect(refused == ServiceError(.operationNotAllowed))
            }
        }
        #expect(fixture.hashes == 0)
    }

    @Test("G-25: a repeat gets the first answer with the same password, and changes nothing")
    func repeated() async throws {
        _ = try await fixture.register()
        for _ in 0..<3 { try await fixture.correct(to: "new@example.org", key: "k") }
        try await fixture.relay()
        let links = fixture.notifications.mails.filter { $0.template == "verify-email" }
        #expect(links.count { $0.recipient == "new@example.org" } == 1)
        #expect(try await fixture.audited("account.email-changed") == 1)
        let other = try await refusal {
            try await fixture.correct(to: "new@example.org", password: "Wrong7Horse", key: "k")
        }
        #expect(other.code == .idempotencyKeyReused)
        let elsewhere = try await refusal {
            try await fixture.correct(to: "third@example.org", key: "k")
        }
        #expect(elsewhere.code == .idempotencyKeyReused)
    }

    @Test("X-04: the owner of the new address takes the account, and the password is removed")
    func takenOver() async throws {
        let fixture = try IdentityFixture()
        let eve = try await fixture.member("eve@example.org")
        try await fixture.correct("eve@example.org", to: "ada@example.org")
        let owner = try await fixture.signIn(by: .token("g1", email: "ada@example.org"))
        #expect(owner.account?.accountId == eve.id && owner.removedMethods == ["password"])
        #expect(try await fixture.refusedSignIn() == .invalidCredential)
    }
}

extension IdentityFixture {
    /// Corrects the address of an account.
    func correct(
        _ email: String = "ada@example.org", to new: String, password: String = "Correct7Horse",
        key: String? = nil, on device: String = "device-canary", isWithheld: Bool = false
    ) async throws {
        _ = try await emails.correctEmail(
            .init(
                correction: .init(
                    email: email, password: .init(text: password), newEmail: new,
                    device: .init(deviceId: device, platform: "cli")), mailWithheld: isWithheld),
            context(key))
    }
}
