import Contracts
import Messages
import RPC
import ServiceRuntime
import TestSupport
import Testing

@testable import IdentityService

@Suite("N-01: mails about somebody's act have the device and the place")
struct NoticePlaceTests {
    let fixture: IdentityFixture
    let account: String
    /// A device that its app gave no name.
    private let device = GatewayV1.Device(deviceId: "not seen before", platform: "web")

    init() async throws {
        fixture = try IdentityFixture()
        account = try await fixture.registerProved().accountId
    }

    /// The context of a call from Berlin, in a session of the account unless it is a sign-in.
    private func context(signingIn: Bool = false) -> CallContext {
        var context = fixture.relayed(signingIn ? nil : fixture.devices.open(account))
        context.metadata[Metadata.Key.place] = "DE;525;134;Berlin"
        context.metadata[Metadata.Key.agent] = "firefox 131, linux"
        return context
    }

    /// The values of the latest mail of a template.
    private func values(of template: String) async throws -> [String: String] {
        try await fixture.relay()
        let mail = try #require(fixture.mail(template), "\(template)")
        return Dictionary(uniqueKeysWithValues: mail.variables.map { ($0.name, $0.value) })
    }

    private func expectAct(_ template: String) async throws {
        let values = try await values(of: template)
        #expect(values["device"] == "Firefox 131 (Linux)", "\(template)")
        #expect(values["place"] == "Berlin, DE", "\(template)")
        #expect(values["time"]?.hasSuffix(" UTC") == true, "\(template)")
    }

    @Test("a method that was added, and one that was removed")
    func methods() async throws {
        _ = try await fixture.identities.linkProvider(
            .init(token: .token("g1", email: "ada.g@example.org"), device: device), context())
        try await expectAct("method-added")
        _ = try await fixture.identities.unlinkMethod(
            .init(method: "google", device: device), context())
        try await expectAct("method-removed")
    }

    @Test("another password")
    func password() async throws {
        _ = try await fixture.credentials.changePassword(
            .init(
                currentPassword: "Correct7Horse", newPassword: "Another8Horse", device: device),
            context())
        try await expectAct("password-changed")
    }

    @Test("a sign-in from a new device")
    func newDevice() async throws {
        _ = try await fixture.accounts.verifyPassword(
            .init(
                signIn: .init(
                    email: "ada@example.org", password: "Correct7Horse", device: device)),
            context(signingIn: true))
        try await expectAct("new-device")
    }

    @Test("another address: the mail to the former one says where it was confirmed")
    func address() async throws {
        _ = try await fixture.requestChange("new@example.org", fixture.devices.open(account))
        try await fixture.relay()
        _ = try await fixture.emails.confirmEmailChange(
            .init(token: fixture.changeToken(), device: device), context())
        let values = try await values(of: "email-changed")
        #expect(values["place"] == "Berlin, DE" && values["address"] == "new@example.org")
    }
}
