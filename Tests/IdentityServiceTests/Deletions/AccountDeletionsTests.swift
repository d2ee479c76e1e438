import Contracts
import Messages
import RPC
import ServiceRuntime
import Storage
import TestSupport
import Testing

@testable import AccountLife
@testable import IdentityService
@testable import PersonalData

@Suite("G-19: the deletion of the caller's account", .timeLimit(.minutes(1)))
struct AccountDeletionsTests {
    let fixture: IdentityFixture
    let ada: AccountID
    let token: String

    init() async throws {
        fixture = try IdentityFixture()
        (ada, token) = try await fixture.person()
    }

    private var caller: DeletionCall.Token { IdentityFixture.caller(token) }

    private func request(
        _ confirmation: String, by caller: DeletionCall.Token? = nil, wait: Bool = false
    ) async throws -> GatewayV1.Deletion? {
        try await fixture.requestDeletion(confirmation, by: caller ?? self.caller, wait: wait)
    }

    private func state() async throws -> GatewayV1.Deletion? {
        try await fixture.deletions.getDeletion(.init(), fixture.relayed(token)).deletion
    }

    @Test("the consequences name what the account has, in their order")
    func consequences() async throws {
        func kinds() async throws -> [String] {
            try await fixture.preview(caller).consequences.map(\.kind)
        }
        #expect(try await kinds() == ["account", "sessions", "wait", "final"])
        // Google has granted nothing that is kept.
        _ = try await fixture.link(.token("g1", email: "ada@example.org"), in: token)
        #expect(try await kinds() == ["account", "sessions", "wait", "final"])
        let preview = try await fixture.preview(caller)
        #expect(
            preview.consequences.first { $0.kind == "wait" }?.sentence
                == DeletionConsequence.wait.sentence(count: 7, in: .english))
        #expect(preview.waitSeconds == 7 * 24 * 3_600 && preview.deletion == nil)
        let life = preview.expiresAtMs - fixture.time.now().milliseconds
        #expect(life == DeletionConfirmation.life.milliseconds)
    }

    @Test("G-21: it waits while an export is prepared or ready, and the consequences say so")
    func export() async throws {
        func consequences() async throws -> [GatewayV1.DeletionConsequence] {
            try await fixture.preview(caller).consequences
        }
        fixture.fillOtherServices()
        try await fixture.orderExport(token)
        let expected = ["account", "sessions", "export", "final"]
        #expect(try await consequences().map(\.kind) == expected)
        #expect(try await fixture.exports.work.prepareDue())
        #expect(try await consequences().map(\.kind) == expected)
        #expect(
            try await consequences().first { $0.kind == "export" }?.sentence
                == DeletionConsequence.export.sentence(count: 7, in: .english))
        #expect(try await fixture.requestDeletion(caller).state == .waiting)
        #expect(try await fixture.cancelDeletion(caller))
        #expect(try await fixture.cancelExport(token))
        #expect(
            try await consequences().map(\.kind) == ["account", "sessions", "wait", "final"])
        #expect(try await fixture.requestDeletion(caller).state == .deleting)
    }

    @Test("at once: sign-in is refused from the response on, and GetDeletion is no longer answered")
    func atOnce() async throws {
        let deletion = try await fixture.requestDeletion(caller)
        #expect(deletion.state == .deleting && deletion.requestedAtMs > 0)
        #expect(try await refusal { try await fixture.signIn() }.code == .accountDisabled)
        #expect(try await refusal { try await state() }.code == .accountDisabled)
        let live = try await refusal { try await fixture.confirm(caller) }
        #expect(live.code == .accountDisabled)
        #expect(try await fixture.audited("account.deletion-requested") == 1)
    }

    @Test("a repeat returns the deletion that has begun, also when it is done")
    func repeated() async throws {
        let confirmation = try await fixture.confirm(caller)
        let first = try #require(try await request(confirmation))
        fixture.devices.end(token)
        #expect(try await request(confirmation) == first)
        await fixture.performDeletion(of: ada)
        #expect(try await !fixture.exists(ada))
        #expect(try await request(confirmation)?.state == .deleting)
        #expect(try await fixture.audited("account.deletion-requested") == 1)
    }

    @Test("a repeat is answered only in the name of the session that confirmed the deletion")
    func repeatedByOthers() async throws {
        let (_, eve) = try await fixture.person("eve@example.org")
        let other = fixture.devices.open(ada.text)
        let confirmation = try await fixture.confirm(caller)
        #expect(try await request(confirmation)?.state == .deleting)
        func expectRefusals() async throws {
            let callers = [eve, other].map { IdentityFixture.caller($0) }
            for caller in callers + [IdentityFixture.caller(link: "invented")] {
                let refused = try await refusal { try await request(confirmation, by: caller) }
                #expect(refused.code == .invalidConfirmation)
            }
            let invented = try await refusal {
                try await request(confirmation, by: IdentityFixture.caller("invented"))
            }
            #expect(invented.code == .sessionEnded)
            let nobody = try await refusal {
                try await fixture.requestDeletion(confirmation, by: nil)
            }
            #expect(nobody.code == .invalidAccessToken)
        }
        try await expectRefusals()
        await fixture.performDeletion(of: ada)
        try await expectRefusals()
        #expect(try await request(confirmation)?.state == .deleting)
    }

    @Test("a wait: the account works as before, and another request does not move its end")
    func waits() async throws {
        let deletion = try await fixture.requestDeletion(caller, wait: true)
        let due = fixture.time.now() + .seconds(7 * 24 * 3_600)
        #expect(deletion.state == .waiting && deletion.dueAtMs == due.milliseconds)
        _ = try await fixture.signIn()
        fixture.time.advance(by: .seconds(60))
        #expect(try await fixture.requestDeletion(caller, wait: true) == deletion)
        #expect(try await state() == deletion)
        #expect(try await fixture.requestDeletion(caller).state == .deleting)
        let attempts = try await fixture.count(
            "audit", where: "kind = 'account.deletion-requested' AND attempt = 1")
        #expect(attempts == 1)
    }

    @Test("a token that has confirmed a deletion after a wait does not confirm one at once")
    func otherWait() async throws {
        let confirmation = try await fixture.confirm(caller)
        let waiting = try await request(confirmation, wait: true)
        let atOnce = try await refusal { try await request(confirmation) }
        #expect(atOnce.code == .invalidConfirmation)
        #expect(try await request(confirmation, wait: true) == waiting)
        #expect(try await state() == waiting)
        #expect(try await request(fixture.confirm(caller))?.state == .deleting)
    }

    @Test("it begins when the wait is over, and not a millisecond before")
    func due() async throws {
        try await fixture.requestDeletion(caller, wait: true)
        await fixture.performDeletion(of: ada)
        fixture.time.advance(by: .seconds(7 * 24 * 3_600) - .milliseconds(1))
        await fixture.performDeletion(of: ada)
        #expect(try await fixture.deletion(of: ada)?.step == nil)
        fixture.time.advance(by: .milliseconds(1))
        await fixture.performDeletion(of: ada)
        #expect(try await fixture.deletion(of: ada) == nil)
        #expect(try await !fixture.exists(ada))
    }

    @Test("the confirmation belongs to one session, for ten minutes")
    func confirmations() async throws {
        let other = fixture.devices.open(ada.text)
        let confirmation = try await fixture.confirm(caller)
        func refused(_ token: String, _ by: String) async throws -> ErrorCode {
            try await refusal {
                try await request(token, by: IdentityFixture.caller(by))
            }.code
        }
        #expect(try await refused(confirmation, other) == .invalidConfirmation)
        #expect(try await refused("", token) == .invalidConfirmation)
        #expect(try await refused(confirmation + "A", token) == .invalidConfirmation)
        let choice = try CollisionChoice(
            guest: ada, generation: 1, account: ada, at: fixture.time.now()
        ).token(fixture.keys)
        #expect(try await refused(choice, token) == .invalidConfirmation)
        let (_, eve) = try await fixture.person("eve@example.org")
        #expect(try await refused(confirmation, eve) == .invalidConfirmation)
        fixture.time.advance(by: DeletionConfirmation.life - .milliseconds(1))
        fixture.devices.proveAgain(token, amr: ["pwd"])
        fixture.time.advance(by: .milliseconds(1))
        #expect(try await refused(confirmation, token) == .invalidConfirmation)
        #expect(try await fixture.count("deletions") == 0)
    }

    @Test("G-13: it needs a recent proof; the preview and the cancel do not")
    func recentProof() async throws {
        fixture.time.advance(by: .seconds(301))
        let confirmation = try await fixture.confirm(caller)
        #expect(try await refusal { try await request(confirmation) }.code == .requiresRecentLogin)
        fixture.devices.proveAgain(token, amr: ["pwd"])
        #expect(try await request(confirmation)?.state == .deleting)
    }

    @Test("a guest needs no proof, since it has none, and gets no mail")
    func guest() async throws {
        let (text, token) = try await fixture.guest()
        let guest = try #require(AccountID(text: text))
        let mails = fixture.templates.count
        try await fixture.requestDeletion(IdentityFixture.caller(token))
        await fixture.performDeletion(of: guest)
        try await fixture.relay()
        #expect(try await !fixture.exists(guest))
        #expect(fixture.templates.count == mails)
    }

    @Test("a session that identity has ended cannot delete the account")
    func endedSession() async throws {
        let confirmation = try await fixture.confirm(caller)
        let (ada, fixture) = (ada, fixture)
        fixture.devices.onceAsked {
            try await fixture.store.write(about: [.account(ada)]) { transaction in
                try transaction.endSessions(
                    of: ada, provedUntil: transaction.at, fixture.outbox)
            }
        }
        #expect(try await refusal { try await request(confirmation) }.code == .sessionEnded)
        #expect(try await fixture.count("deletions") == 0)
    }

    @Test("a call that is no repeat is refused for its session first, then for its confirmation")
    func order() async throws {
        let other = fixture.devices.open(ada.text)
        fixture.devices.end(other)
        let expired = fixture.devices.open(ada.text)
        fixture.devices.expire(expired, at: fixture.time.now())
        let refusals: [(String, ErrorCode)] = [
            (other, .sessionEnded), (expired, .invalidAccessToken), ("invented", .sessionEnded),
            (token, .invalidConfirmation),
        ]
        for (token, code) in refusals {
            let error = try await refusal {
                try await request("x", by: IdentityFixture.caller(token))
            }
            #expect(error.code == code, "\(token)")
        }
    }

    @Test("a session that comes with a link is judged, and a call without both is refused")
    func callers() async throws {
        let ended = fixture.devices.open(ada.text)
        fixture.devices.end(ended)
        let link = GatewayV1.CancelDeletionRequest(linkToken: "invented")
        for (token, code) in [
            (nil, .invalidLink), (token, .invalidLink), (ended, .sessionEnded),
            ("invented", .sessionEnded),
        ] as [(String?, ErrorCode)] {
            let error = try await refusal {
                try await fixture.deletions.cancelDeletion(link, fixture.relayed(token))
            }
            #expect(error.code == code)
        }
        #expect(try await refusal { try await fixture.preview(nil) }.code == .invalidAccessToken)
        #expect(
            try await refusal { try await fixture.cancelDeletion(nil) }.code == .invalidAccessToken)
    }
}
