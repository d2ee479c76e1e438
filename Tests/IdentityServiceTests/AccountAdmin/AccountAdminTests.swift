import Contracts
import Cryptography
import Messages
import RPC
import ServiceRuntime
import Storage
import TestSupport
import Testing

@testable import AccountLife
@testable import IdentityService

/// A session service that reports one account's activity, or is unavailable.
private struct KnownActivity: AccountActivityAPI {
    var isAway = false
    /// On its clock each call takes until its deadline.
    var hanging: ManualTime?

    func getAccountActivity(
        _ request: SessionV1.GetAccountActivityRequest, _ context: CallContext
    ) async throws -> SessionV1.GetAccountActivityResponse {
        if let hanging {
            hanging.advance(by: context.deadline - hanging.uptime())
            throw ServiceError(.deadlineExceeded)
        }
        if isAway { throw ServiceError(.unavailable) }
        return .init(
            activity: .init(
                liveSessions: 2, lastActivity: .lastActivityAtMs(10),
                lastSeen: .lastSeenAtMs(20)))
    }

    func listAccountActivity(
        _ request: SessionV1.ListAccountActivityRequest, _ context: CallContext
    ) async throws -> SessionV1.ListAccountActivityResponse { throw ServiceError(.unknownMethod) }
}

@Suite("I-09: account administration by the operator", .timeLimit(.minutes(1)))
struct AccountAdminTests {
    let fixture: IdentityFixture
    let admin: AccountAdminHandler
    let id: String

    init() async throws {
        fixture = try IdentityFixture()
        admin = fixture.admin(KnownActivity())
        id = try #require(try await fixture.register().account).accountId
    }

    private var tool: CallContext { fixture.context(application: "tool") }

    private func lookUp(
        _ by: GatewayV1.LookUpAccountRequest.By?, show: Bool = false
    ) async throws -> GatewayV1.AdminAccount {
        let answer = try await admin.lookUpAccount(
            .init(showPersonalData: show, actor: "ann", by: by), tool)
        return try #require(answer.account)
    }

    private func suspend(_ reason: String = "spam") async throws -> Bool {
        try await admin.suspendAccount(
            .init(accountId: id, reason: reason, actor: "ann"), tool
        ).changed
    }

    private func restore() async throws -> Bool {
        try await admin.restoreAccount(.init(accountId: id), tool).changed
    }

    private func actors(_ kind: String) async throws -> [String] {
        try await fixture.store.read {
            try $0.query("SELECT actor FROM audit WHERE kind = ?", [.text(kind)]) {
                try $0.text(0)
            }
        }
    }

    // MARK: permissions

    @Test(
        "only the operator's tool and the configured applications may call",
        arguments: [
            "", "gateway", "session", "notification", "app", "TOOL",
        ])
    func strangers(application: String) async throws {
        let context = fixture.context(application: application)
        let expected = ServiceError.notNamed(
            application, by: "account-admins", of: "identity")
        #expect(
            try await refusal {
                try await admin.lookUpAccount(.init(by: .accountId(id)), context)
            } == expected)
        #expect(try await refusal { try await admin.listAccounts(.init(), context) } == expected)
        #expect(
            try await refusal {
                try await admin.suspendAccount(.init(accountId: id, reason: "x"), context)
            } == expected)
        #expect(
            try await refusal {
                try await admin.restoreAccount(.init(accountId: id), context)
            } == expected)
        #expect(
            try await refusal {
                try await admin.signOutAccount(.init(accountId: id), context)
            } == expected)
    }

    @Test("a configured application may call, and the audited actor has its name")
    func named() throws {
        var settings = AccountLifeSettings()
        settings.accountAdmins = ["gateway"]
        func audited(
            _ actor: String, of caller: String, naming application: String?
        ) throws -> String {
            var context = fixture.context(application: caller)
            context.metadata[Metadata.Key.application] = application
            return try AdminCaller(context, actor: actor, settings).actor
        }
        #expect(try audited("ann", of: "gateway", naming: "support") == "gateway/support/ann")
        #expect(try audited("", of: "gateway", naming: "support") == "gateway/support")
        #expect(try audited("ann", of: "gateway", naming: nil) == "gateway/ann")
        #expect(
            throws: ServiceError.notNamed("session", by: "account-admins", of: "identity")
        ) {
            try audited("", of: "session", naming: "tool")
        }
        // The tool's name does not make it the tool; only the gateway has checked what it names.
        #expect(try audited("ann", of: "gateway", naming: "tool") == "gateway/tool/ann")
        #expect(try audited("ann", of: "tool", naming: "support") == "tool/ann")
        for (actor, application) in [
            ("ann", "a\nb"), ("", "<b>"), ("ann", String(repeating: "a", count: 125)),
        ] {
            #expect(throws: ServiceError(.invalidArgument, fields: ["actor"])) {
                try audited(actor, of: "gateway", naming: application)
            }
        }
    }

    @Test(
        "an actor with characters that would break an audit line is refused",
        arguments: [
            "a\nb", "a\u{0}", "<b>", String(repeating: "a", count: 129),
        ])
    func actor(text: String) async throws {
        let error = try await refusal {
            try await admin.lookUpAccount(.init(actor: text, by: .accountId(id)), tool)
        }
        #expect(error == ServiceError(.invalidArgument, fields: ["actor"]))
    }

    // MARK: look-up

    @Test("look-up by id or email masks personal data, and showing it is audited")
    func lookUp() async throws {
        let masked = try await lookUp(.accountId(id))
        #expect(masked.account?.email == "a…@example.org")
        #expect(masked.account?.displayName == "")
        #expect(masked.account?.accountId == id)
        #expect(
            masked.activity
                == .init(
                    liveSessions: 2, lastActivity: .lastActivityAtMs(10),
                    lastSeen: .lastSeenAtMs(20)))
        #expect(masked.suspension == nil && masked.deletion == nil)
        #expect(try await actors("account.shown") == [])

        let shown = try await lookUp(.email("ADA@Example.ORG"), show: true)
        #expect(shown.account?.email == "ada@example.org")
        #expect(shown.account?.displayName == "Ada")
        #expect(try await actors("account.shown") == ["tool/ann"])
    }

    @Test("an uploaded photo is personal too: its URL is left out unless it is requested")
    func photo() async throws {
        _ = try await fixture.upload(PhotoSamples.png(), fixture.devices.open(id))
        #expect(try await lookUp(.accountId(id)).account?.photoUrl == "")
        let shown = try await lookUp(.accountId(id), show: true).account?.photoUrl
        #expect(shown?.contains("/v1/photos/") == true)
    }

    @Test("look-up shows a deletion that waits or has begun")
    func deletion() async throws {
        let due = fixture.time.now() + .seconds(7 * 24 * 3_600)
        let wait = try await admin.deleteAccount(.init(accountId: id, wait: true), tool).deletion
        #expect(try await lookUp(.accountId(id)).deletion == wait)
        #expect(wait?.state == .waiting && wait?.dueAtMs == due.milliseconds)
        let begun = try await admin.deleteAccount(.init(accountId: id), tool).deletion
        #expect(try await lookUp(.accountId(id)).deletion == begun)
        #expect(begun?.state == .deleting)
    }

    @Test("an account is found by phone number in any format and by provider identity")
    func identities() async throws {
        for (method, issuer, subject) in [
            ("phone", "phone", "+4915112345678"), ("google", "https://accounts.google.com", "17"),
        ] {
            let proved = ProvedIdentity(
                method: SignInMethod(name: method), issuer: issuer, subject: subject)
            let admitted = try await fixture.signIn(proved)
            let by: GatewayV1.LookUpAccountRequest.By =
                method == "phone"
                ? .phoneNumber("+49 (151) 1234-5678")
                : .providerSubject(.init(issuer: issuer, subject: subject))
            let found = try await lookUp(by)
            #expect(found.account?.accountId == admitted.account?.accountId)
            #expect(found.account?.phoneNumber == (method == "phone" ? "+49…78" : ""))
        }
    }

    @Test("I-05: an account that is stored with the trunk prefix is found with and without it")
    func formerText() async throws {
        let owner = try await fixture.signIn(PhoneIdentity.proved("+49015112345678")).account
        for number in ["+49 0151 12345678", "+49 151 12345678"] {
            let found = try await lookUp(.phoneNumber(number))
            #expect(found.account?.accountId == owner?.accountId)
        }
    }

    @Test("an unknown account is not found, and an invalid search is refused")
    func nobody() async throws {
        let missing: [GatewayV1.LookUpAccountRequest.By] = [
            .accountId("acc_0000000000001"), .email("nobody@example.org"),
            .phoneNumber("+4915100000000"), .providerSubject(.init(issuer: "x", subject: "y")),
        ]
        for by in missing {
            #expect(try await refusal { try await lookUp(by) }.code == .notFound, "\(by)")
        }
        #expect(try await refusal { try await lookUp(.email("no")) }.code == .invalidEmail)
        #expect(try await refusal { try await lookUp(.accountId("7")) }.code == .invalidArgument)
        #expect(try await refusal { try await lookUp(nil) }.code == .invalidArgument)
    }

    @Test("X-07: an account is shown without its activity while session is unavailable")
    func away() async throws {
        let admin = fixture.admin(KnownActivity(isAway: true))
        let answer = try await admin.lookUpAccount(.init(by: .accountId(id)), tool)
        #expect(answer.account?.account?.accountId == id)
        #expect(answer.account?.activity == nil)
    }

    @Test("X-07: a session service that hangs leaves time to suspend the account")
    func hanging() async throws {
        let caller = tool
        let began = fixture.time.uptime()
        let admin = fixture.admin(KnownActivity(hanging: fixture.time))
        let answer = try await admin.lookUpAccount(.init(by: .accountId(id)), caller)
        #expect(answer.account?.account?.accountId == id && answer.account?.activity == nil)
        #expect(fixture.time.uptime() - began == .seconds(2))
        #expect(caller.deadline > fixture.time.uptime())
        let suspended = try await admin.suspendAccount(
            .init(accountId: id, reason: "spam", actor: "ann"), caller)
        #expect(suspended.changed)
        #expect(try await fixture.count("outbox", where: "topic = 'end-account'") == 1)
    }

    // MARK: suspension

    @Test("a suspension blocks sign-in, ends sessions, voids links and is audited")
    func suspended() async throws {
        #expect(try await fixture.count("links") == 1)
        #expect(try await suspend())
        #expect(try await fixture.count("links") == 0)
        #expect(try await refusal { try await fixture.signIn() }.code == .accountDisabled)
        try await fixture.relay()
        let end = try #require(fixture.sessions.ended.first)
        #expect(end.accountId == id)
        #expect(end.reason == .revoked)
        #expect(end.beforeMs == fixture.time.now().milliseconds + 1)
        #expect(try await actors("account.suspended") == ["tool/ann"])
        let seen = try await lookUp(.accountId(id))
        #expect(seen.account?.status == .suspended)
        #expect(
            seen.suspension
                == .init(reason: "spam", suspendedAtMs: fixture.time.now().milliseconds))
    }

    @Test("X-02: a suspended account gets no reset link, and the request's answer is the same")
    func reset() async throws {
        _ = try await suspend()
        _ = try await fixture.credentials.requestPasswordReset(
            .init(email: "ada@example.org", device: IdentityFixture.device), fixture.context())
        try await fixture.relay()
        #expect(fixture.notifications.mails.allSatisfy { $0.template != "reset-password" })
    }

    @Test("suspending again changes nothing: the first reason stays, and no session ends twice")
    func twice() async throws {
        #expect(try await suspend())
        #expect(try await !suspend("another"))
        try await fixture.relay()
        #expect(fixture.sessions.ended.count == 1)
        #expect(try await lookUp(.accountId(id)).suspension?.reason == "spam")
        #expect(try await actors("account.suspended").count == 1)
    }

    @Test(
        "a restored owner can sign in; links stay void, and a second restore does nothing")
    func restored() async throws {
        _ = try await suspend()
        #expect(try await restore())
        #expect(try await !restore())
        #expect(try await fixture.signIn().account?.status == .active)
        #expect(try await fixture.count("links") == 0)
        #expect(try await fixture.count("suspensions") == 0)
        #expect(try await actors("account.restored") == ["tool"])
        #expect(try await suspend("again"))
        #expect(try await lookUp(.accountId(id)).suspension?.reason == "again")
    }

    @Test("an account that was imported as suspended can be restored")
    func imported() async throws {
        try await fixture.change("UPDATE accounts SET status = 2")
        #expect(try await !suspend())
        #expect(try await restore())
        #expect(try await fixture.signIn().account?.accountId == id)
    }

    @Test("a sign-in during a suspension is refused, or its proof is ended")
    func race() async throws {
        async let answers = fixture.signIn()
        _ = try await suspend()
        do {
            // The sign-in committed first, so its proof is older than the end.
            let proof = try #require(try await answers.proof)
            try await fixture.relay()
            #expect(proof.provedAtMs < (fixture.sessions.ended.first?.beforeMs ?? 0))
        } catch let error as ServiceError {
            #expect(error.code == .accountDisabled)
        }
    }

    @Test("a reason has 1 to 500 bytes and is stored sealed")
    func reason() async throws {
        for text in ["", String(repeating: "x", count: 501)] {
            let error = try await refusal { try await suspend(text) }
            #expect(error == ServiceError(.invalidArgument, fields: ["reason"]))
        }
        #expect(try await suspend("reason-canary"))
        let stored = try await fixture.store.read {
            try $0.queryOne("SELECT reason FROM suspensions") { try $0.blob(0) }
        }
        let bytes = try #require(stored)
        #expect(!String(decoding: bytes, as: UTF8.self).contains("canary"))
    }

    @Test("a sign-out by the operator ends the sessions and keeps the account's status")
    func signedOut() async throws {
        _ = try await admin.signOutAccount(.init(accountId: id, actor: "ann"), tool)
        try await fixture.relay()
        #expect(fixture.sessions.ended.map(\.reason) == [.revoked])
        #expect(try await actors("account.signed-out-by-operator") == ["tool/ann"])
        #expect(try await fixture.signIn().account?.status == .active)
    }

    @Test("suspending, restoring and signing out an unknown account fails")
    func missing() async throws {
        let nobody = "acc_0000000000001"
        #expect(
            try await refusal {
                try await admin.suspendAccount(.init(accountId: nobody, reason: "x"), tool)
            }.code == .notFound)
        #expect(
            try await refusal {
                try await admin.restoreAccount(.init(accountId: nobody), tool)
            }.code == .notFound)
        #expect(
            try await refusal {
                try await admin.signOutAccount(.init(accountId: nobody), tool)
            }.code == .notFound)
    }
}
