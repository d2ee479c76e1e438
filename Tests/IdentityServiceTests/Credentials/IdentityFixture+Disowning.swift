import Contracts
import Messages
import ServiceRuntime
import TestSupport
import Testing

@testable import IdentityService

/// Sign-ins of a thief, and the links by which an owner disowns them.
extension IdentityFixture {
    /// Signs in with the password from a device that the account does not know.
    func signInAsThief(
        on device: String = "thief", password: String = "Correct7Horse"
    ) async throws {
        _ = try await accounts.verifyPassword(
            .init(
                signIn: .init(
                    email: "ada@example.org", password: .init(text: password),
                    device: .init(deviceId: device, platform: "cli"))), context())
    }

    /// The token of the second link in the latest mail of a template.
    func notMeToken(_ template: String = "new-device") async throws -> String {
        try await relay()
        let mail = try #require(notifications.mails.last { $0.template == template })
        let link = try #require(mail.variables.first { $0.name == "not-me-link" }).value
        let start = "https://app.example/not-me?token="
        try #require(link.hasPrefix(start))
        return String(link.dropFirst(start.count))
    }

    /// Disowns a sign-in, and delivers what follows.
    /// - Returns: the email under which the gateway forgets devices.
    @discardableResult
    func disown(_ token: String, key: String? = nil) async throws -> String {
        let answer = try await credentials.disownSignIn(
            .init(token: .init(text: token)), context(key))
        try await relay()
        return answer.email
    }

    /// Expects that a link does not work, and is not said to.
    func expectNotDisowning(_ token: String, key: String? = nil, _ reason: Comment) async throws {
        #expect(
            try await refusal { try await disown(token, key: key) }.code == .invalidLink, reason)
        #expect(try await describesDisowning(token) == .init(), reason)
    }

    /// What is said of a link before it is used.
    func describesDisowning(_ token: String) async throws -> GatewayV1.DescribeLinkResponse {
        try await accounts.describeLink(
            .init(purpose: .disownSignIn, token: .init(text: token)), context())
    }

    /// The methods that an account's owner is shown.
    func listedMethods(in session: String) async throws -> [String] {
        try await identities.listSignInMethods(.init(), relayed(session)).methods.map(\.method)
    }
}
