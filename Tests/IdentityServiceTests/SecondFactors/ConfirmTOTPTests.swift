import Contracts
import Cryptography
import FoundationEssentials
import Messages
import ServiceRuntime
import Storage
import TestSupport
import Testing

@testable import IdentityAssembly
@testable import IdentityService

@Suite("F-03, F-04: an owner sets up an authenticator app", .timeLimit(.minutes(1)))
struct ConfirmTOTPTests {
    let fixture: IdentityFixture
    /// "acc_…"
    let account: String
    /// An access token.
    let token: String

    init() async throws {
        fixture = try IdentityFixture(adjusting: { $0.appName = "Tea & Cake" })
        account = try await fixture.registerProved().accountId
        token = fixture.devices.open(account)
        try await fixture.relay()
    }

    private func generation() async throws -> Int64? {
        let id = try #require(AccountID(text: account))
        return try await fixture.store.read { try $0.account(id)?.sessionGeneration }
    }

    @Test("a set-up that has begun is a secret, its address, and no row")
    func begins() async throws {
        let app = try await fixture.beginApp(token)
        #expect(app.begun.secret.wholeMatch(of: /[A-Z2-7]{32}/) != nil && app.secret.count == 20)
        #expect(
            app.begun.uri
                == "otpauth://totp/Tea%20%26%20Cake:ada%40example.org?secret=\(app.begun.secret)"
                + "&issuer=Tea%20%26%20Cake&algorithm=SHA1&digits=6&period=30")
        #expect(app.begun.expiresAtMs == fixture.time.now().milliseconds + 600_000)
        #expect(try await fixture.beginApp(token).begun.secret != app.begun.secret)
        #expect(try await fixture.count("second_factors") == 0)
        #expect(try await fixture.waiting() == 0)
    }

    @Test("the first factor: ten codes, a proof of aal2, a mail with a link, no other session")
    func first() async throws {
        let before = try await generation()
        let (_, answer) = try await fixture.setUpApp(in: token)
        let factor = try #require(answer.factor)
        #expect(factor.factorId.hasPrefix("fac_") && factor.kind == "totp")
        #expect(factor.name == "phone")
        #expect(factor.addedAtMs == fixture.time.now().milliseconds)
        #expect(factor.lastUsedAtMs == factor.addedAtMs)
        #expect(Set(answer.recoveryCodes).count == 10)
        let proof = try #require(answer.proof)
        #expect(proof.accountId == account && proof.amr == ["otp", "totp", "mfa"])
        #expect(proof.purpose == .reauthentication && fixture.keys.proofs.isGenuine(proof))
        for kind in ["second-factor.added", "recovery-codes.made"] {
            #expect(try await fixture.audited(kind) == 1, "\(kind)")
        }
        let mail = try #require(try await fixture.delivered("second-factor-on"))
        #expect(mail.recipient == "ada@example.org")
        #expect(mail.variables.contains { $0.name == "not-me-link" && !$0.value.isEmpty })
        let ended = try #require(fixture.sessions.ended.last)
        #expect(ended.accountId == account)
        #expect(ended.exceptSessionId == fixture.devices.session(of: token))
        #expect(ended.sessionGeneration > (before ?? 0))
        // The proof is one of after that end, or session would refuse it.
        #expect(proof.provedAtMs >= ended.beforeMs)
    }

    @Test("the confirming code counts as used, and so do those before it")
    func used() async throws {
        let (app, _) = try await fixture.setUpApp(in: token)
        for offset in [-30, 0] {
            let code = app.code(at: fixture.time.now() + .seconds(offset))
            let error = try await refusal { try await fixture.prove(.totpCode(code), in: token) }
            #expect(error.code == .invalidCode)
        }
        fixture.time.advance(by: .seconds(30))
        try await fixture.prove(.totpCode(app.code(at: fixture.time.now())), in: token)
    }

    @Test("a code that the app does not show adds nothing")
    func wrong() async throws {
        let app = try await fixture.beginApp(token)
        let others = try await fixture.beginApp(token)
        let now = fixture.time.now()
        let wrong: [SecretBytes] = [
            .empty, "x", "1234567", others.code(at: now), app.code(at: now + .seconds(60)),
            app.code(at: now - .seconds(60)),
        ]
        for code in wrong {
            let error = try await refusal { try await fixture.confirm(app, code, in: token) }
            #expect(error == ServiceError(.invalidCode, fields: ["code"]))
        }
        #expect(try await fixture.count("second_factors") == 0)
        #expect(try await fixture.audited("second-factor.added") == 0)
        _ = try await fixture.confirm(app, app.code(at: now + .seconds(30)), in: token)
    }

    /// Attack: somebody leads a person's app to confirm a secret of their own, or confirms a secret
    /// that was seen once more.
    @Test("a token adds one factor, in its session, within ten minutes")
    func tokens() async throws {
        let (eve, eves) = try await fixture.member("eve@example.org")
        let foreign = try await fixture.beginApp(eves)
        let other = fixture.devices.open(account)
        let own = try await fixture.beginApp(token)
        func refused(_ app: AppSetUp, in session: String) async throws -> ErrorCode {
            try await refusal { try await fixture.confirm(app, in: session) }.code
        }
        #expect(try await refused(foreign, in: token) == .invalidConfirmation)
        #expect(try await refused(own, in: other) == .invalidConfirmation)
        fixture.time.advance(by: TOTPEnrollment.life)
        fixture.devices.proveAgain(token, amr: Authentication.password.amr)
        #expect(try await refused(own, in: token) == .invalidConfirmation)
        let (app, _) = try await fixture.setUpApp(in: token)
        fixture.time.advance(by: .seconds(30))
        #expect(try await refused(app, in: token) == .invalidConfirmation)
        #expect(try await fixture.count("second_factors") == 1)
        #expect(try await fixture.listFactors(eves).factors == [], "\(eve)")
    }

    @Test("an account has three apps, and each has its own codes; the fourth is refused")
    func several() async throws {
        var apps: [AppSetUp] = []
        for number in 1...3 {
            let app = try await fixture.beginApp(token)
            let answer = try await fixture.confirm(app, name: "app \(number)", in: token)
            #expect(answer.recoveryCodes.isEmpty == (number > 1))
            apps.append(app)
            fixture.time.advance(by: .seconds(30))
        }
        #expect(
            try await refusal { try await fixture.beginApp(token) }.code
                == .maximumSecondFactorCountExceeded)
        let listed = try await fixture.listFactors(token)
        #expect(listed.factors.map(\.name) == ["app 1", "app 2", "app 3"])
        for app in apps {
            try await fixture.prove(.totpCode(app.code(at: fixture.time.now())), in: token)
        }
        // A token of before the third one adds no fourth.
        try await fixture.change("DELETE FROM second_factors WHERE factor = \(factorKey(listed))")
        let late = try await fixture.beginApp(token)
        _ = try await fixture.setUpApp(in: token)
        let error = try await refusal { try await fixture.confirm(late, in: token) }
        #expect(error.code == .maximumSecondFactorCountExceeded)
        #expect(
            try await fixture.audited(
                "second-factor.refused",
                outcome: ErrorCode.maximumSecondFactorCountExceeded.rawValue) == 1)
    }

    private func factorKey(_ listed: GatewayV1.ListSecondFactorsResponse) throws -> Int64 {
        let last = try #require(listed.factors.last)
        return try #require(FactorID(text: last.factorId)).key
    }

    @Test("N-01: a further factor is told without a link, and ends no session")
    func further() async throws {
        _ = try await fixture.setUpApp(in: token)
        try await fixture.relay()
        let ended = fixture.sessions.ended.count
        fixture.time.advance(by: .seconds(60))
        _ = try await fixture.setUpApp(in: token)
        let mail = try #require(try await fixture.delivered("second-factor-on"))
        #expect(mail.variables.contains { $0.name == "not-me-link" && $0.value.isEmpty })
        #expect(fixture.templates.count { $0 == "second-factor-on" } == 2)
        #expect(fixture.sessions.ended.count == ended)
    }

    @Test("a guest has nothing to protect, and with `off` no factor is added")
    func refused() async throws {
        let guest = try await fixture.guest()
        #expect(
            try await refusal { try await fixture.beginApp(guest.token) }.code
                == .operationNotAllowed)
        let off = try IdentityFixture(adjusting: { $0.secondFactors.mode = .off })
        let (id, eves) = try await off.member()
        #expect(
            try await refusal { try await off.beginApp(eves) }.code == .operationNotAllowed)
        // A token of before the setting.
        let app = try await fixture.beginApp(token)
        let error = try await refusal { try await off.confirm(app, in: eves) }
        #expect(error.code == .operationNotAllowed)
        // Factors that are there go on being asked for.
        _ = try await off.plantFactor(in: id)
        #expect(try await refusal { try await off.signIn() }.code == .secondProofRequired)
    }

    @Test(
        "a name is short, and has no control characters",
        arguments: [String(repeating: "x", count: 65), "a\u{0}b", "a\nb", "\u{202E}a"])
    func names(name: String) async throws {
        let app = try await fixture.beginApp(token)
        let error = try await refusal { try await fixture.confirm(app, name: name, in: token) }
        #expect(error == ServiceError(.invalidArgument, fields: ["name"]))
        let long = String(repeating: "x", count: 64)
        let answer = try await fixture.confirm(app, name: long, in: token)
        #expect(answer.factor?.name == long)
    }

    // MARK: repeats

    @Test("G-25: a repeat gets the factor and another proof of the same time, and no codes")
    func repeated() async throws {
        let app = try await fixture.beginApp(token)
        let code = app.code(at: fixture.time.now())
        let first = try await fixture.confirm(app, code, in: token, key: "k")
        // Later than the code, the token, and the proof that it needed.
        fixture.time.advance(by: .seconds(900))
        let again = try await fixture.confirm(app, code, in: token, key: "k")
        #expect(again.factor == first.factor && again.recoveryCodes == [])
        #expect(again.proof?.authTimeMs == first.proof?.authTimeMs)
        #expect(again.proof?.nonce != first.proof?.nonce)
        #expect(again.proof?.provedAtMs == fixture.time.now().milliseconds)
        let other = try await refusal {
            try await fixture.confirm(
                app, app.code(at: fixture.time.now()), in: token, key: "k")
        }
        #expect(other.code == .idempotencyKeyReused)
        #expect(try await fixture.count("second_factors") == 1)
        #expect(try await fixture.audited("recovery-codes.made") == 1)
    }

    @Test("of two calls at once one adds the factor, and one answer has the codes")
    func atOnce() async throws {
        let app = try await fixture.beginApp(token)
        let code = app.code(at: fixture.time.now())
        let (fixture, token) = (fixture, token)
        let answers = try await withThrowingTaskGroup(of: IdentityV1.ConfirmTOTPResponse.self) {
            group in
            for _ in 0..<8 {
                group.addTask { try await fixture.confirm(app, code, in: token, key: "k") }
            }
            return try await group.reduce(into: []) { $0.append($1) }
        }
        #expect(Set(answers.map { $0.factor?.factorId ?? "" }).count == 1)
        #expect(answers.count { !$0.recoveryCodes.isEmpty } == 1)
        #expect(try await fixture.count("second_factors") == 1)
    }

    /// Attack: a stored answer of a sign-in from before the factor opens a session after it.
    @Test("G-25: a repeat of a sign-in from before the first factor is refused")
    func formerSignIn() async throws {
        #expect(try await fixture.signIn(key: "k").proof != nil)
        fixture.time.advance(by: .seconds(1))
        _ = try await fixture.setUpApp(in: token)
        #expect(
            try await refusal { try await fixture.signIn(key: "k") }.code == .idempotencyKeyReused)
    }

    // MARK: what is stored

    /// Attack: the store, its copies, or what a service writes to a disk are read.
    @Test("F-04: neither a secret nor a code of it, nor a recovery code, is in a store or a log")
    func canaries() async throws {
        let app = try await fixture.beginApp(token)
        let answer = try await fixture.confirm(app, in: token, key: "k")
        fixture.time.advance(by: .seconds(30))
        let code = app.code(at: fixture.time.now())
        try await fixture.prove(.totpCode(code), in: token)
        let recovery = try #require(answer.recoveryCodes.first)
        try await fixture.prove(.recoveryCode(.init(text: recovery)), in: token)
        let renewed = try await fixture.regenerateCodes(in: token, key: "r")
        try await fixture.relay()
        let texts =
            [app.begun.secret, app.begun.enrollmentToken] + answer.recoveryCodes + renewed
            + (answer.recoveryCodes + renewed).map { $0.replacing("-", with: "") }
        let hidden = texts.map { Array($0.utf8) } + [app.secret.withBytes { Array($0) }]
        let copy = fixture.folder.file("copy.sqlite")
        try await fixture.store.backup(to: copy)
        let stored = try Array(Data(contentsOf: URL(filePath: copy)))
        for bytes in hidden { #expect(stored.firstRange(of: bytes) == nil) }
        let log = fixture.log.lines.joined(separator: "\n")
        for text in texts { #expect(!log.contains(text)) }
    }
}
