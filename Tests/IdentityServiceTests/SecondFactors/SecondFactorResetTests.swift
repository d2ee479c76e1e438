import Contracts
import Cryptography
import Messages
import RPC
import ServiceRuntime
import Storage
import TestSupport
import Testing

@testable import AccountLife
@testable import IdentityAssembly
@testable import IdentityService

@Suite("F-03: support removes the factors of a person who has lost them", .timeLimit(.minutes(1)))
struct SecondFactorResetTests {
    private static let wait: Duration = .seconds(24 * 3_600)

    let fixture: IdentityFixture
    /// "acc_…"
    let account: String
    /// An access token.
    let token: String
    let factor: PlantedFactor

    init() async throws {
        fixture = try IdentityFixture()
        account = try await fixture.registerProved().accountId
        token = fixture.devices.open(account)
        factor = try await fixture.plantFactor(in: account)
        fixture.pushes.register(account)
    }

    private var isProtected: Bool {
        get async throws { try await fixture.count("second_factors") > 0 }
    }

    private func link() async throws -> String {
        let mail = try #require(
            try await fixture.delivered("second-factor-reset-requested"))
        let link = try #require(mail.variables.first { $0.name == "link" }).value
        let start = "https://app.example/keep-second-factors?token="
        try #require(link.hasPrefix(start))
        return String(link.dropFirst(start.count))
    }

    private func shown() async throws -> GatewayV1.AdminAccount {
        let answer = try await fixture.admin(NoActivity()).lookUpAccount(
            .init(showPersonalData: true, by: .accountId(account)),
            fixture.context(application: "tool"))
        return try #require(answer.account)
    }

    @Test("it waits for a day, is told at once by mail and push, and then it is done and told")
    func waits() async throws {
        let due = (fixture.time.now() + Self.wait).milliseconds
        let answer = try await fixture.resetFactors(of: account)
        #expect(answer == .init(dueAtMs: due, changed: true))
        #expect(try await fixture.delivered("second-factor-reset-requested") != nil)
        // To a proved address pushes are not sent otherwise.
        #expect(fixture.pushes.pushes.map(\.template) == ["second-factor-reset-requested"])
        #expect(try await fixture.listFactors(token).resetAtMs == due)
        fixture.time.advance(by: Self.wait - .milliseconds(1))
        try await fixture.finishResets()
        #expect(try await isProtected)
        fixture.time.advance(by: .milliseconds(1))
        try await fixture.finishResets()
        #expect(try await !isProtected)
        #expect(try await fixture.count("recovery_codes") == 0)
        #expect(try await fixture.delivered("second-factor-reset") != nil)
        #expect(fixture.pushes.pushes.map(\.template).last == "second-factor-reset")
        let ended = try #require(fixture.sessions.ended.last)
        #expect(ended.accountId == account && ended.exceptSessionId.isEmpty)
        #expect(try await fixture.signIn().proof != nil)
        for kind in ["second-factor.reset-requested", "second-factor.reset"] {
            #expect(try await fixture.audited(kind) == 1, "\(kind)")
        }
        #expect(
            try await fixture.count(
                "audit", where: "kind = 'second-factor.reset-requested' AND actor = 'tool/ann'")
                == 1)
        try await fixture.finishResets()
        #expect(try await fixture.audited("second-factor.reset") == 1)
    }

    @Test("a second request goes on waiting to the time that the owner was told")
    func again() async throws {
        let first = try await fixture.resetFactors(of: account)
        fixture.time.advance(by: .seconds(3_600))
        let again = try await fixture.resetFactors(of: account)
        #expect(again == .init(dueAtMs: first.dueAtMs, changed: false))
        try await fixture.relay()
        #expect(fixture.templates.count { $0 == "second-factor-reset-requested" } == 1)
    }

    @Test("an application's never waits less than an hour, whatever the setting; the tool's may")
    func atOnce() async throws {
        for (application, seconds) in [("gateway", 3_600), ("tool", 0)] as [(String, Int64)] {
            let fixture = try IdentityFixture(adjusting: { $0.secondFactors.resetWait = .zero })
            let account = try await fixture.registerProved().accountId
            _ = try await fixture.plantFactor(in: account)
            var life = fixture.lifeSettings
            life.accountAdmins = [CallContext.gateway]
            let admin = AccountAdminHandler(
                settings: life, store: fixture.store, writer: fixture.writer,
                time: fixture.time, answers: fixture.answers,
                logger: fixture.log.logger(time: fixture.time),
                deletions: fixture.service.life.deletions.deletions,
                guests: UnusedGuestSearch(
                    store: fixture.store, activity: NoActivity(), kept: nil),
                history: fixture.service.core.history,
                orphans: fixture.service.life.accountAdmin.orphans)
            let answer = try await admin.resetSecondFactors(
                .init(accountId: account, reason: "lost", actor: "ann"),
                fixture.context(application: application))
            let now = fixture.time.now().milliseconds
            #expect(answer.changed)
            #expect(answer.dueAtMs == (seconds == 0 ? 0 : now + seconds * 1_000))
            #expect(try await (fixture.count("second_factors") == 0) == (seconds == 0))
            #expect(
                try await (fixture.delivered("second-factor-reset") != nil) == (seconds == 0))
        }
    }

    @Test("the account of a request exists, has a factor, and the request says why")
    func refused() async throws {
        let admin = fixture.admin(NoActivity())
        func code(
            _ account: String, _ reason: String, _ application: String = "tool"
        ) async throws -> ServiceError {
            try await refusal {
                try await admin.resetSecondFactors(
                    .init(accountId: account, reason: reason),
                    fixture.context(application: application))
            }
        }
        #expect(try await code(account, "").fields == ["reason"])
        #expect(try await code(account, String(repeating: "x", count: 501)).fields == ["reason"])
        #expect(try await code("acc_0000000000009", "lost").code == .notFound)
        #expect(try await code("7", "lost").code == .invalidArgument)
        #expect(try await code(account, "lost", "gateway").code == .permissionDenied)
        let (eve, _) = try await fixture.member("eve@example.org")
        #expect(try await fixture.resetFactors(of: eve) == .init())
        #expect(try await fixture.audited("second-factor.reset-requested") == 0)
    }

    @Test("the support desk sees factors, codes and what waits, and names only with personal data")
    func looksUp() async throws {
        let due = try await fixture.resetFactors(of: account).dueAtMs
        let found = try await shown()
        #expect(found.secondFactors.map(\.name) == ["phone"] && found.recoveryCodesLeft == 10)
        #expect(found.secondFactorReset == .init(reason: "lost phone", dueAtMs: due))
        let masked = try await fixture.admin(NoActivity()).lookUpAccount(
            .init(by: .accountId(account)), fixture.context(application: "tool"))
        #expect(masked.account?.secondFactors.map(\.name) == [""])
        fixture.time.advance(by: Self.wait)
        try await fixture.finishResets()
        let after = try await shown()
        #expect(after.secondFactors.isEmpty && after.recoveryCodesLeft == 0)
        #expect(after.secondFactorReset == nil)
    }

    // MARK: what stops it

    /// Attack: somebody calls the support desk as if they were the owner.
    @Test("any second proof stops it, at a sign-in and at a step-up", arguments: [0, 1, 2, 3])
    func proved(way: Int) async throws {
        try await fixture.resetFactors(of: account)
        let link = try await link()
        fixture.time.advance(by: .seconds(60))
        let code = factor.code(at: fixture.time.now())
        switch way {
        case 0: try await fixture.prove(.totpCode(code), in: token)
        case 1: try await fixture.prove(.recoveryCode(factor.recoveryCode(0)), in: token)
        default:
            let challenge = try await fixture.challenge { try await fixture.signIn() }
            _ = try await fixture.complete(
                challenge,
                way == 2 ? .totpCode(code) : .recoveryCode(factor.recoveryCode(0)))
        }
        #expect(try await fixture.audited("second-factor.reset-cancelled") == 1)
        #expect(try await fixture.listFactors(token).resetAtMs == 0)
        fixture.time.advance(by: Self.wait)
        try await fixture.finishResets()
        #expect(try await isProtected)
        let error = try await refusal { try await fixture.keepFactors(link) }
        #expect(error.code == .invalidLink, "the link of a removal that was stopped")
    }

    @Test("a first proof and a wrong second one do not stop it")
    func notProved() async throws {
        try await fixture.resetFactors(of: account)
        let challenge = try await fixture.challenge { try await fixture.signIn() }
        _ = try await refusal { try await fixture.complete(challenge, .totpCode("000000")) }
        _ = try await refusal {
            try await fixture.prove(.recoveryCode("0000-0000-00000"), in: token)
        }
        fixture.time.advance(by: Self.wait)
        try await fixture.finishResets()
        #expect(try await !isProtected)
    }

    @Test("the link of its mail stops it, opens nothing, and works once")
    func keeps() async throws {
        try await fixture.resetFactors(of: account)
        let token = try await link()
        let described = try await fixture.accounts.describeLink(
            .init(purpose: .keepSecondFactors, token: .init(text: token)), fixture.context())
        #expect(described.usable && described.email == "ada@example.org")
        #expect(!described.passwordNeeded)
        try await fixture.keepFactors(token, key: "k")
        try await fixture.keepFactors(token, key: "k")
        #expect(try await fixture.audited("second-factor.reset-cancelled") == 1)
        #expect(try await refusal { try await fixture.keepFactors(token) }.code == .invalidLink)
        #expect(fixture.sessions.ended.isEmpty)
        fixture.time.advance(by: Self.wait)
        try await fixture.finishResets()
        #expect(try await isProtected)
        // Another removal has another link.
        try await fixture.resetFactors(of: account)
        #expect(try await refusal { try await fixture.keepFactors(token) }.code == .invalidLink)
        try await fixture.keepFactors(try await link())
    }

    @Test("no other link does it, and this one does nothing else")
    func purposes() async throws {
        try await fixture.resetFactors(of: account)
        let keep = try await link()
        let reset = try await fixture.resetToken()
        #expect(try await refusal { try await fixture.keepFactors(reset) }.code == .invalidLink)
        for token in ["", "x", String(keep.dropLast())] {
            #expect(
                try await refusal { try await fixture.keepFactors(token) }.code == .invalidLink)
        }
        #expect(try await refusal { try await fixture.reset(keep) }.code == .invalidLink)
        #expect(try await refusal { try await fixture.disown(keep) }.code == .invalidLink)
        try await fixture.keepFactors(keep)
    }

    /// Attack: somebody has the mailbox too, and sets a new password to void the link.
    @Test("a reset waits for the factor, and leaves the link to the owner")
    func survives() async throws {
        try await fixture.resetFactors(of: account)
        let keep = try await link()
        let challenge = try await fixture.challenge {
            try await fixture.reset(try await fixture.resetToken())
        }
        #expect(challenge.kinds.first == "totp_code")
        try await fixture.keepFactors(keep)
        #expect(try await isProtected)
    }

    @Test("the removal of the last factor by its owner ends it")
    func removed() async throws {
        try await fixture.resetFactors(of: account)
        fixture.devices.proveAgain(token, amr: Authentication.totp.amr)
        let id = try #require(try await fixture.listFactors(token).factors.first).factorId
        _ = try await fixture.removeFactor(id, in: token)
        #expect(
            try await fixture.count("accounts", where: "second_factor_reset_at_ms IS NOT NULL")
                == 0)
        _ = try await fixture.setUpApp(in: token)
        fixture.time.advance(by: Self.wait)
        try await fixture.finishResets()
        #expect(try await isProtected)
    }

    @Test("of a hundred and more that are due all are done, and two instances do each once")
    func many() async throws {
        let taken = try await ImportFixture(fixture).take(
            (0..<120).map { ImportFixture.record("u\($0)", email: "u\($0)@example.org") })
        let accounts = [account] + taken.map(\.accountId)
        for id in accounts.dropFirst() { _ = try await fixture.plantFactor(in: id) }
        for id in accounts { try await fixture.resetFactors(of: id) }
        fixture.time.advance(by: Self.wait)
        async let one: Void = fixture.finishResets()
        async let other: Void = fixture.finishResets()
        _ = try await (one, other)
        #expect(try await fixture.count("second_factors") == 0)
        #expect(try await fixture.audited("second-factor.reset") == 121)
    }
}
