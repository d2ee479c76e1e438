import Contracts
import Messages
import ServiceRuntime
import Storage
import TestSupport
import Testing

@testable import IdentityService

/// Deletions over a real store.
extension IdentityFixture {
    var deletions: AccountDeletionsHandler { service.deletions }

    static func caller(_ token: String) -> IdentityV1.DeletionCaller {
        .init(by: .accessToken(token))
    }

    static func caller(link: String) -> IdentityV1.DeletionCaller {
        .init(by: .linkToken(link))
    }

    /// Shows the consequences to the caller, and returns the token that confirms them.
    func confirm(_ caller: IdentityV1.DeletionCaller) async throws -> String {
        try await deletions.previewDeletion(.init(caller: caller), context()).confirmationToken
    }

    /// Shows the consequences to the caller and requests the deletion.
    @discardableResult
    func requestDeletion(
        _ caller: IdentityV1.DeletionCaller, wait: Bool = false
    ) async throws -> GatewayV1.Deletion {
        let token = try await confirm(caller)
        let answer = try await deletions.requestDeletion(
            .init(
                caller: caller, confirmationToken: token, wait: wait, origin: Self.origin),
            context())
        return try #require(answer.deletion)
    }

    /// Carries a deletion on, as the worker does.
    func performDeletion(of account: AccountID) async { await tasks.deletionWork.perform(account) }

    /// The deletion of an account, as it is stored.
    func deletion(of account: AccountID) async throws -> StoredDeletion? {
        try await store.read { try $0.deletion(of: account) }
    }

    /// Whether an account has a row.
    func exists(_ account: AccountID) async throws -> Bool {
        try await count("accounts", where: "account = \(account.key)") == 1
    }

    /// The value of the first metric whose line has these parts.
    func metric(_ parts: String...) -> Double? {
        let line = metrics.prometheusText().split(separator: "\n").first { line in
            !line.hasPrefix("#") && parts.allSatisfy { line.contains($0) }
        }
        return line?.split(separator: " ").last.flatMap { Double($0) }
    }

    /// An account with a proved address, and a session of it.
    func person(
        _ email: String = "ada@example.org"
    ) async throws -> (account: AccountID, token: String) {
        let account = try await registerProved(email)
        let id = try #require(AccountID(text: account.accountId))
        return (id, devices.open(account.accountId))
    }
}
