import Contracts
import HTTPSink
import Messages
import RPC
import ServiceRuntime
import Storage
import TestSupport
import Testing

@testable import AccountLife
@testable import IdentityAssembly

@Suite("G-20: deletions for operators, backends and providers", .timeLimit(.minutes(1)))
struct DeletionOperatorTests {
    private func tool(_ fixture: IdentityFixture) -> CallContext {
        fixture.context(application: "tool")
    }

    /// An account whose owner's deletion waits, and which was suspended since.
    private func suspendedWhileWaiting() async throws -> (IdentityFixture, AccountID) {
        let fixture = try IdentityFixture()
        let (ada, token) = try await fixture.person()
        try await fixture.requestDeletion(IdentityFixture.caller(token), wait: true)
        await fixture.performDeletion(of: ada)
        try await suspend(ada, fixture)
        return (fixture, ada)
    }

    private func suspend(_ account: AccountID, _ fixture: IdentityFixture) async throws {
        _ = try await fixture.service.life.accountAdmin.suspendAccount(
            .init(accountId: account.text, reason: "spam", actor: "ann"), tool(fixture))
    }

    /// Time passes, and the worker looks at the deletion.
    private func pass(
        days: Int, _ fixture: IdentityFixture, _ account: AccountID
    ) async {
        fixture.time.advance(by: .seconds(days * 24 * 3_600))
        await fixture.performDeletion(of: account)
    }

    @Test("an operator deletes a suspended account at once; the trail names the operator")
    func suspended() async throws {
        let fixture = try IdentityFixture()
        let (ada, _) = try await fixture.person()
        let admin = fixture.service.life.accountAdmin
        try await suspend(ada, fixture)
        let answer = try await admin.deleteAccount(
            .init(accountId: ada.text, actor: "ann"), tool(fixture))
        #expect(answer.deletion?.state == .deleting)
        let repeated = try await admin.deleteAccount(.init(accountId: ada.text), tool(fixture))
        #expect(repeated == answer)
        await fixture.performDeletion(of: ada)
        #expect(try await !fixture.exists(ada))
        let named = try await fixture.count(
            "audit", where: "kind = 'account.deletion-requested' AND actor = 'tool/ann'")
        #expect(named == 1)
        let gone = try await refusal {
            try await admin.deleteAccount(.init(accountId: ada.text), tool(fixture))
        }
        #expect(gone.code == .notFound)
    }

    @Test("an owner's deletion that waits does not end a suspension; an operator can begin it")
    func held() async throws {
        let (fixture, ada) = try await suspendedWhileWaiting()
        let admin = fixture.service.life.accountAdmin
        await pass(days: 8, fixture, ada)
        let held = try #require(try await fixture.deletion(of: ada))
        #expect(held.step == nil)
        #expect(held.nextAttemptAt == fixture.time.now() + DeletionWork.heldRetry)
        let taken = try await refusal { try await fixture.register("ada@example.org") }
        #expect(taken.code == .emailAlreadyInUse)
        _ = try await admin.deleteAccount(
            .init(accountId: ada.text, actor: "ann"), tool(fixture))
        await fixture.performDeletion(of: ada)
        #expect(try await !fixture.exists(ada))
    }

    @Test("an operator's deletion after a wait is not held by a suspension, and is recorded")
    func operatorsWait() async throws {
        let (fixture, ada) = try await suspendedWhileWaiting()
        let admin = fixture.service.life.accountAdmin
        for _ in 0..<2 {
            let waiting = try await admin.deleteAccount(
                .init(accountId: ada.text, wait: true, actor: "ann"), tool(fixture))
            #expect(waiting.deletion?.state == .waiting)
        }
        #expect(
            try await fixture.count(
                "audit", where: "kind = 'account.deletion-requested' AND actor = 'tool/ann'") == 1)
        await pass(days: 8, fixture, ada)
        #expect(try await !fixture.exists(ada))
    }

    @Test("if the owner's time is over already, the operator's wait begins anew")
    func operatorsLateWait() async throws {
        let (fixture, ada) = try await suspendedWhileWaiting()
        let admin = fixture.service.life.accountAdmin
        await pass(days: 8, fixture, ada)
        _ = try await admin.deleteAccount(.init(accountId: ada.text, wait: true), tool(fixture))
        await fixture.performDeletion(of: ada)
        await pass(days: 6, fixture, ada)
        #expect(try await fixture.exists(ada), "the owner can still cancel it")
        await pass(days: 2, fixture, ada)
        #expect(try await !fixture.exists(ada))
    }

    @Test("a deletion that a suspension held begins after the account is restored")
    func released() async throws {
        let (fixture, ada) = try await suspendedWhileWaiting()
        let admin = fixture.service.life.accountAdmin
        await pass(days: 8, fixture, ada)
        _ = try await admin.restoreAccount(
            .init(accountId: ada.text, actor: "ann"), tool(fixture))
        fixture.time.advance(by: DeletionWork.heldRetry)
        await fixture.performDeletion(of: ada)
        #expect(try await !fixture.exists(ada))
    }

    @Test("the gateway may neither delete nor list, unless account-admins names it")
    func strangers() async throws {
        let fixture = try IdentityFixture()
        let (ada, _) = try await fixture.person()
        let admin = fixture.service.life.accountAdmin
        let context = fixture.context(application: "gateway")
        let refused = ServiceError.notNamed(
            "gateway", by: "account-admins", of: "identity")
        await #expect(throws: refused) {
            try await admin.deleteAccount(.init(accountId: ada.text), context)
        }
        await #expect(throws: refused) {
            try await admin.listDeletions(.init(), context)
        }
    }

    @Test("with wait the owner can cancel; the list shows what waits and what fails, oldest first")
    func listed() async throws {
        let fixture = try IdentityFixture()
        let (ada, token) = try await fixture.person()
        let (eve, _) = try await fixture.person("eve@example.org")
        let admin = fixture.service.life.accountAdmin
        let waiting = try await admin.deleteAccount(
            .init(accountId: ada.text, wait: true), tool(fixture))
        #expect(waiting.deletion?.state == .waiting)
        fixture.time.advance(by: .milliseconds(1))
        _ = try await admin.deleteAccount(.init(accountId: eve.text), tool(fixture))
        fixture.sessionData.fail(.unavailable)
        await fixture.performDeletion(of: eve)
        let list = try await admin.listDeletions(.init(), tool(fixture)).deletions
        #expect(list.map(\.accountId) == [ada.text, eve.text])
        #expect(list.map(\.step) == ["", "other-services"])
        #expect(list.map(\.attempts) == [0, 1] && list.map(\.source) == ["operator", "operator"])
        #expect(try await fixture.cancelDeletion(IdentityFixture.caller(token)))
        let last = "\(list[1].deletion?.requestedAtMs ?? 0)/\(eve.text)"
        let rest = try await admin.listDeletions(.init(pageToken: last), tool(fixture))
        #expect(rest == .init())
        let error = try await refusal {
            try await admin.listDeletions(.init(pageToken: "7"), tool(fixture))
        }
        #expect(error.code == .invalidArgument)
    }

    @Test("deletion-awaits-backend: it goes on after the backend's answer, or after 72 hours")
    func backend() async throws {
        let fixture = try IdentityFixture(deletion: DeletionSettings(awaitsBackend: true))
        let admin = fixture.service.life.accountAdmin
        for answers in [true, false] {
            let (ada, token) = try await fixture.person()
            try await fixture.requestDeletion(IdentityFixture.caller(token))
            await fixture.performDeletion(of: ada)
            #expect(try await fixture.deletion(of: ada)?.step == .backend)
            #expect(try await fixture.audited("account.deletion-begun") == (answers ? 1 : 2))
            if answers {
                _ = try await admin.deleteAccount(
                    .init(accountId: ada.text, backendDone: true), tool(fixture))
            } else {
                fixture.time.advance(by: DeletionSteps.backendWaitMax - .milliseconds(1))
                await fixture.performDeletion(of: ada)
                #expect(try await fixture.deletion(of: ada)?.step == .backend)
                fixture.time.advance(by: .milliseconds(1))
            }
            await fixture.performDeletion(of: ada)
            #expect(try await fixture.deletion(of: ada) == nil)
            #expect(
                try await fixture.audited("account.deletion-unanswered") == (answers ? 0 : 1))
        }
    }

    @Test("a call that does not say that the backend is done is no answer, however late")
    func retried() async throws {
        let fixture = try IdentityFixture(deletion: DeletionSettings(awaitsBackend: true))
        let (ada, token) = try await fixture.person()
        let admin = fixture.service.life.accountAdmin
        try await fixture.requestDeletion(IdentityFixture.caller(token))
        for wait in [Duration.zero, .seconds(3_600)] {
            await fixture.performDeletion(of: ada)
            fixture.time.advance(by: wait)
            _ = try await admin.deleteAccount(.init(accountId: ada.text), tool(fixture))
            await fixture.performDeletion(of: ada)
            #expect(try await fixture.deletion(of: ada)?.step == .backend)
        }
    }

    @Test(
        "the backend's answer counts at each step before its own, also in the call that begins",
        arguments: [nil, .tombstone, .release, .sessions, .pushDevices] as [DeletionStep?])
    func early(step: DeletionStep?) async throws {
        let fixture = try IdentityFixture(deletion: DeletionSettings(awaitsBackend: true))
        let (ada, token) = try await fixture.person()
        if let step {
            try await fixture.requestDeletion(IdentityFixture.caller(token))
            while let deletion = try await fixture.deletion(of: ada), let next = deletion.step,
                next != step
            {
                try await fixture.service.life.deletionWork.steps.perform(next, of: deletion)
            }
        }
        _ = try await fixture.service.life.accountAdmin.deleteAccount(
            .init(accountId: ada.text, backendDone: true), tool(fixture))
        await fixture.performDeletion(of: ada)
        #expect(try await fixture.deletion(of: ada) == nil)
        #expect(try await fixture.audited("account.deletion-unanswered") == 0)
    }

    @Test("a backend is not done with an account that can still be kept")
    func doneAndWaiting() async throws {
        let fixture = try IdentityFixture()
        let (ada, _) = try await fixture.person()
        let error = try await refusal {
            try await fixture.service.life.accountAdmin.deleteAccount(
                .init(accountId: ada.text, wait: true, backendDone: true), tool(fixture))
        }
        #expect(error.code == .invalidArgument && error.fields == ["backend_done"])
        #expect(try await fixture.deletion(of: ada) == nil)
    }

    @Test("overdue deletions are counted; those that wait are not")
    func overdue() async throws {
        let fixture = try IdentityFixture(deletion: DeletionSettings(overdue: .seconds(86_400)))
        let (ada, token) = try await fixture.person()
        let (_, other) = try await fixture.person("eve@example.org")
        try await fixture.requestDeletion(IdentityFixture.caller(token))
        try await fixture.requestDeletion(IdentityFixture.caller(other), wait: true)
        fixture.sessionData.fail(.unavailable)
        await fixture.performDeletion(of: ada)
        let check = DeletionCheck(
            store: fixture.store, settings: fixture.lifeSettings.deletion, time: fixture.time,
            logger: fixture.log.logger(time: fixture.time), metrics: fixture.metrics)
        func overdue() async throws -> Double? {
            try await check.check()
            return fixture.metric("identity_deletions_overdue")
        }
        func listed() async throws -> [Bool] {
            let admin = fixture.service.life.accountAdmin
            return try await admin.listDeletions(.init(), tool(fixture)).deletions.map(\.overdue)
        }
        #expect(try await overdue() == 0)
        #expect(fixture.metric("identity_deletions{", "\"waiting\"") == 1)
        #expect(try await listed() == [false, false])
        fixture.time.advance(by: .seconds(86_401))
        #expect(try await overdue() == 1)
        #expect(try await Set(listed()) == [true, false])
    }

    @Test(
        "I-06: a restored copy's waiting deletion waits a week again, and its owner is mailed again"
    )
    func restored() async throws {
        let fixture = try IdentityFixture()
        let (ada, token) = try await fixture.person()
        try await fixture.requestDeletion(IdentityFixture.caller(token), wait: true)
        await fixture.performDeletion(of: ada)
        let folder = try TemporaryFolder()
        try await fixture.store.backup(to: folder.file("identity.sqlite"))
        fixture.time.advance(by: .seconds(8 * 24 * 3_600))
        let copy = try IdentityFixture(
            folder: folder, time: fixture.time, seed: 2, acceptsClock: true)
        try await IdentityRestore.settle(copy.store)
        await copy.performDeletion(of: ada)
        let deletion = try #require(try await copy.deletion(of: ada))
        #expect(
            deletion.state == .waiting(until: fixture.time.now() + DeletionSettings().wait))
        #expect(deletion.keepLink != nil)
        try await copy.relay()
        #expect(copy.templates == ["deletion-scheduled"])
        _ = try await copy.signIn()
    }

    @Test("I-06: after a restore a wait is deletion-wait again, and never becomes shorter")
    func restoredWait() async throws {
        let long = DeletionSettings(wait: .seconds(30 * 24 * 3_600))
        let fixture = try IdentityFixture(deletion: long)
        let (ada, token) = try await fixture.person()
        try await fixture.requestDeletion(IdentityFixture.caller(token), wait: true)
        let due = fixture.time.now() + long.wait
        fixture.time.advance(by: .seconds(24 * 3_600))
        for (settings, expected) in [
            (DeletionSettings(), due), (long, fixture.time.now() + long.wait),
        ] {
            let folder = try TemporaryFolder()
            try await fixture.store.backup(to: folder.file("identity.sqlite"))
            let copy = try IdentityFixture(
                folder: folder, time: fixture.time, seed: 2, acceptsClock: true, deletion: settings)
            try await IdentityRestore.settle(copy.store, settings)
            #expect(try await copy.deletion(of: ada)?.state == .waiting(until: expected))
        }
    }

    @Test("I-06: after a restore an owner's deletion that cannot be mailed about waits no more")
    func restoredUnmailed() async throws {
        let fixture = try IdentityFixture()
        let admin = fixture.service.life.accountAdmin
        let owner = try await fixture.member("ada@example.org")
        let guest = try await fixture.guest()
        let other = try await fixture.member("eve@example.org")
        for token in [owner.token, guest.token] {
            try await fixture.requestDeletion(IdentityFixture.caller(token), wait: true)
        }
        _ = try await admin.deleteAccount(
            .init(accountId: other.id, wait: true), tool(fixture))
        let folder = try TemporaryFolder()
        try await fixture.store.backup(to: folder.file("identity.sqlite"))
        let copy = try IdentityFixture(folder: folder, time: fixture.time, seed: 2)
        try await IdentityRestore.settle(copy.store)
        let left = try await copy.service.life.accountAdmin.listDeletions(.init(), tool(copy))
        #expect(left.deletions.map(\.accountId) == [other.id])
        #expect(try await copy.count("accounts") == 3)
    }

    @Test("G-05: the grant is revoked at the provider, and left alone if its identity is back")
    func grants() async throws {
        for isBack in [false, true] {
            let apple = try await GrantFixture { request in
                request.path.contains("revoke") ? .answer(200, body: "") : GrantFixture.granted()
            }
            let ada = try await apple.signIn()
            try await apple.settle()
            #expect(try await apple.grant() != nil)
            let identity = apple.identity
            let token = identity.devices.open(ada.text, amr: ["fed"])
            let preview = try await identity.preview(IdentityFixture.caller(token))
            #expect(preview.consequences.contains { $0.kind == "provider" })
            try await identity.requestDeletion(IdentityFixture.caller(token))
            let work = DeletionWork(
                DeletionSteps(
                    settings: identity.settings, awaitsBackend: false, store: identity.store,
                    writer: identity.writer,
                    deletions: identity.deletions.deletions, peers: identity.peers,
                    tombstones: identity.service.life.tombstones, blobs: identity.service.blobs,
                    grants: apple.delivery, time: identity.time,
                    logger: identity.log.logger(time: identity.time)),
                metrics: identity.metrics)
            while let deletion = try await identity.deletion(of: ada), let step = deletion.step,
                step != .grants
            {
                try await work.steps.perform(step, of: deletion)
            }
            #expect(try await !identity.exists(ada))
            if isBack { try await apple.signIn("second") }
            await work.perform(ada)
            #expect(try await identity.deletion(of: ada) == nil)
            #expect(try await apple.count(.grantRevoked) == (isBack ? 0 : 1))
            #expect(try await apple.count(.grantRevocationGivenUp) == (isBack ? 1 : 0))
            await apple.close()
        }
    }
}
