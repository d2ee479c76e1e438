import Contracts
import Messages
import ServiceRuntime
import Storage
import TestSupport
import Testing

@testable import IdentityAssembly
@testable import IdentityService

@Suite("N-07: the delivery of a notice by push or text", .timeLimit(.minutes(2)))
struct NoticeDeliveryTests {
    /// Where the program ends, or a call fails.
    enum Step: CaseIterable, Sendable {
        case beforeDelivery, pushFails, pushAnswerIsLost, textFails, textAnswerIsLost
        case beforeRowIsDeleted
    }

    /// An account with a number and nothing else, and an order for a notice to it.
    private func ordered(
        hasDevice: Bool
    ) async throws -> (identity: IdentityFixture, owner: AccountID) {
        let identity = try IdentityFixture()
        let account = try await PhoneCodeFixture(identity).account().accountId
        try await identity.relay()
        if hasDevice { identity.pushes.register(account) }
        let owner = try #require(AccountID(text: account))
        let notices = identity.writer.notices
        _ = try await identity.store.writeUnchecked { transaction in
            try notices.write(.passwordChanged, to: owner, DeviceShown(nil), transaction)
        }
        return (identity, owner)
    }

    /// The service on the same store or a copy, with the same peers.
    private func reopened(
        _ identity: IdentityFixture, in folder: TemporaryFolder
    ) throws -> IdentityFixture {
        try IdentityFixture(
            folder: folder, time: identity.time, seed: 2, texts: identity.texts,
            pushes: identity.pushes)
    }

    /// Delivers, with retries.
    private func deliver(_ identity: IdentityFixture) async throws {
        try await withThrowingTaskGroup { group in
            group.addTask { try await identity.tasks.run() }
            while try await identity.waiting() > 0 {
                identity.time.advance(by: .milliseconds(50))
                await Task.yield()
            }
            group.cancelAll()
        }
    }

    private func texts(_ identity: IdentityFixture) -> [String] {
        identity.texts.texts.map(\.template).filter { $0 != "phone-code" }
    }

    @Test(
        "N-03: after a crash or a failure at any step it is sent, and once",
        arguments: Step.allCases, [true, false])
    func crash(step: Step, hasDevice: Bool) async throws {
        let (identity, owner) = try await ordered(hasDevice: hasDevice)
        switch step {
        case .beforeDelivery:
            identity.store.close()
            try await deliver(try reopened(identity, in: identity.folder))
        case .beforeRowIsDeleted:
            let copy = try TemporaryFolder()
            try await identity.store.backup(to: copy.file("identity.sqlite"))
            try await deliver(identity)
            // The repeat decides as the first delivery did.
            identity.pushes.register(owner.text)
            try await deliver(try reopened(identity, in: copy))
            #expect(identity.pushes.calls == 2)
        case .pushFails: identity.pushes.fail([.unavailable, .deadlineExceeded])
        case .pushAnswerIsLost: identity.pushes.loseAnswers(2)
        case .textFails: identity.texts.fail([.unavailable, .deadlineExceeded])
        case .textAnswerIsLost: identity.texts.loseAnswers(2)
        }
        if ![.beforeDelivery, .beforeRowIsDeleted].contains(step) { try await deliver(identity) }
        #expect(identity.pushes.pushes.map(\.template) == (hasDevice ? ["password-changed"] : []))
        #expect(texts(identity) == (hasDevice ? [] : ["password-changed"]))
    }

    @Test("a push that is refused permanently is logged, and the text takes its place")
    func refused() async throws {
        let (identity, _) = try await ordered(hasDevice: true)
        identity.pushes.fail([.invalidArgument])
        try await identity.relay()
        #expect(identity.log.lines.contains { $0.contains("outbox.delivery.dead") })
        #expect(texts(identity) == ["password-changed"])
    }

    @Test("a notice that has expired is not sent, nor one of an account that is being deleted")
    func obsolete() async throws {
        let (old, _) = try await ordered(hasDevice: true)
        old.time.advance(by: NoticeOrder.life)
        try await old.relay()
        #expect(old.pushes.calls == 0 && texts(old).isEmpty)
        let (gone, _) = try await ordered(hasDevice: true)
        try await gone.change("UPDATE accounts SET status = 4")
        try await gone.relay()
        #expect(gone.pushes.calls == 0 && texts(gone).isEmpty)
    }

    @Test("A-02: neither the number nor the account is readable in the outbox")
    func sealed() async throws {
        let (identity, owner) = try await ordered(hasDevice: false)
        let payloads = try await identity.store.read { session in
            try session.query("SELECT payload FROM outbox WHERE topic = 'notice'") {
                try $0.blob(0)
            }
        }
        let text = String(decoding: try #require(payloads.first), as: UTF8.self)
        #expect(!text.contains("4915112345678") && !text.contains(owner.text))
        #expect(!text.contains("password"))
    }

    @Test("an order is what was written, and a malformed one is refused")
    func stored() throws {
        #expect(throws: (any Error).self) { try NoticeOrder(Array("[]".utf8)) }
        #expect(throws: (any Error).self) { try NoticeOrder(Array(#"{"push":"%"}"#.utf8)) }
        let none = try NoticeOrder(Array("{}".utf8))
        #expect(none.push == nil && none.text == nil && none.expiresAtMs == 0)
    }
}
