import Messages
import ServiceRuntime
import Storage
import TestSupport
import Testing

@testable import IdentityService

@Suite("G-12, X-02: changing to an address that is taken", .timeLimit(.minutes(1)))
struct TakenChangeTests {
    private func fixture(
        _ mode: IdentitySettings.EnumerationMode
    ) async throws -> (IdentityFixture, access: String) {
        // Both accounts exist before strict mode: under strict an unproved sign-up owns no address.
        let friendly = try IdentityFixture()
        let ada = try #require(try await friendly.register().account).accountId
        _ = try await friendly.register("bob@example.org")
        friendly.store.close()
        let fixture = try IdentityFixture(
            folder: friendly.folder, time: friendly.time, seed: 2, enumeration: mode)
        return (fixture, fixture.devices.open(ada))
    }

    @Test("G-12: friendly mode reports a taken address and sends no mail")
    func friendly() async throws {
        let (fixture, access) = try await fixture(.friendly)
        let error = try await refusal { try await fixture.requestChange("BOB@example.org", access) }
        #expect(error == ServiceError(.emailAlreadyInUse, fields: ["new_email"]))
        try await fixture.relay()
        #expect(fixture.mail("email-change-confirm") == nil)
        #expect(fixture.mail("email-already-registered") == nil)
    }

    @Test("X-02: strict mode answers as for a free address, and mails the owner without a link")
    func strict() async throws {
        let (fixture, access) = try await fixture(.strict)
        let taken = try await fixture.requestChange("bob@example.org", access)
        try await fixture.relay()
        #expect(fixture.mail("email-change-confirm") == nil)
        #expect(
            try #require(fixture.mail("email-already-registered")).recipient == "bob@example.org")
        let free = try await fixture.requestChange("nobody@example.org", access)
        #expect(taken.pendingEmail == "bob@example.org")
        var same = free
        same.pendingEmail = taken.pendingEmail
        #expect(same == taken)
    }

    @Test("G-12: an address that is taken before the link is opened keeps its owner")
    func takenMeanwhile() async throws {
        let fixture = try IdentityFixture()
        let ada = try #require(try await fixture.register().account).accountId
        let access = fixture.devices.open(ada)
        _ = try await fixture.requestChange("new@example.org", access)
        try await fixture.relay()
        let token = try fixture.changeToken()
        _ = try await fixture.register("new@example.org", password: "Owners9Password")
        #expect(try await fixture.refusedChange(token, access: access) == .emailAlreadyInUse)
        _ = try await fixture.signIn("new@example.org", password: "Owners9Password")
        _ = try await fixture.signIn()
    }

    @Test("I-05: of 20 accounts that confirm one address in parallel exactly one gets it")
    func race() async throws {
        let fixture = try IdentityFixture()
        var links: [(access: String, token: String)] = []
        for number in 0..<20 {
            let account = try #require(
                try await fixture.register("ada.\(number)@example.org").account)
            let access = fixture.devices.open(account.accountId)
            _ = try await fixture.requestChange("one@example.org", access)
            try await fixture.relay()
            links.append((access, try fixture.changeToken()))
            // An address gets five mails an hour (`UnrequestedMailRule`).
            fixture.time.advance(by: .seconds(720))
        }
        let codes = await withTaskGroup(of: ErrorCode?.self) { group in
            for link in links {
                group.addTask {
                    do {
                        _ = try await fixture.confirmChange(link.token, access: link.access)
                        return nil
                    } catch {
                        return (error as? ServiceError)?.code ?? .internalError
                    }
                }
            }
            return await group.reduce(into: []) { $0.append($1) }
        }
        #expect(codes.filter { $0 == nil }.count == 1)
        #expect(codes.filter { $0 == .emailAlreadyInUse }.count == 19)
        #expect(try await fixture.count("email_addresses") == 20)
    }
}
