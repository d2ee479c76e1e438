import Contracts
import Messages
import RPC
import ServiceRuntime
import Storage
import TestSupport
import Testing

@testable import AccountLife
@testable import IdentityAssembly
@testable import IdentityService

@Suite("G-23, I-09: the consent of a parent in a suspension", .timeLimit(.minutes(1)))
struct ParentalSuspensionTests {
    private let fixture: IdentityFixture
    private let child: String
    private let link: String

    init() async throws {
        fixture = try IdentityFixture(consent: .age(.allowed))
        child = try await fixture.register("kid@example.org", accepting: .eleven).account.accountId
        link = try await fixture.askParent(fixture.devices.open(child))
        _ = try await fixture.service.life.accountAdmin.suspendAccount(
            .init(accountId: child, reason: "spam", actor: "ann"),
            fixture.context(application: "tool"))
    }

    private func restore() async throws {
        _ = try await fixture.service.life.accountAdmin.restoreAccount(
            .init(accountId: child, actor: "ann"), fixture.context(application: "tool"))
    }

    private var isSuspended: Bool {
        get async throws { try await fixture.count("accounts", where: "status = 2") == 1 }
    }

    @Test("a refusal is recorded, and the deletion begins when the suspension ends")
    func refused() async throws {
        #expect(try await fixture.answerParent(link, .refuse) == .refused)
        fixture.time.advance(by: AgeGate.parentLife * 2)
        #expect(try await fixture.expireParents() == 0)
        #expect(try await isSuspended)
        #expect(try await fixture.answerParent(link, .unspecified) == .refused)
        #expect(try await fixture.answerParent(link, .give) == .refused, "the first answer counts")
        #expect(try await fixture.audited("consent.parent-refused") == 1)
        try await restore()
        #expect(try await fixture.expireParents() == 1)
        #expect(try await fixture.count("accounts", where: "status = 4") == 1)
    }

    @Test("a time that is over ends no suspension either; an operator deletes the account at once")
    func expired() async throws {
        fixture.time.advance(by: AgeGate.parentLife * 2)
        #expect(try await fixture.expireParents() == 0)
        #expect(try await isSuspended)
        _ = try await fixture.service.life.accountAdmin.deleteAccount(
            .init(accountId: child, actor: "ann"), fixture.context(application: "tool"))
        #expect(try await fixture.count("deletions", where: "source = 'operator'") == 1)
        #expect(try await fixture.expireParents() == 0)
    }

    @Test("O-01: a refusal that waits for the end of a suspension stays in a restored copy")
    func restored() async throws {
        #expect(try await fixture.answerParent(link, .refuse) == .refused)
        let folder = try TemporaryFolder()
        try await fixture.store.backup(to: folder.file("identity.sqlite"))
        let copy = try IdentityFixture(
            folder: folder, time: fixture.time, seed: 2, consent: .age(.allowed))
        try await IdentityRestore.settle(copy.store)
        #expect(try await copy.count("parental_consents", where: "state = 4") == 1)
        _ = try await copy.service.life.accountAdmin.restoreAccount(
            .init(accountId: child, actor: "ann"), copy.context(application: "tool"))
        #expect(try await copy.expireParents() == 1)
    }
}
