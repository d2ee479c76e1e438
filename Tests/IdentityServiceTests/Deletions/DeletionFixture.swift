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

/// Deletions over a real store.
extension IdentityFixture {
    var deletions: AccountDeletionsHandler { service.life.deletions }

    static func caller(_ token: String) -> DeletionCall.Token { .access(token) }

    static func caller(link: String) -> DeletionCall.Token { .link(link) }

    /// The token and the context of a caller's request; nil for a call without a session or link.
    private func parts(
        _ caller: DeletionCall.Token?, _ key: String? = nil
    ) -> (link: SecretBytes, context: CallContext) {
        switch caller {
        case .access(let token): (.empty, relayed(token, key))
        case .link(let token): (.init(token), relayed(nil, key))
        case nil: (.empty, relayed(nil, key))
        }
    }

    /// Shows the consequences to the caller.
    func preview(
        _ caller: DeletionCall.Token?
    ) async throws -> GatewayV1.PreviewDeletionResponse {
        let (link, context) = parts(caller)
        return try await deletions.previewDeletion(.init(linkToken: link), context)
    }

    /// Shows the consequences to the caller, and returns the token that confirms them.
    func confirm(_ caller: DeletionCall.Token) async throws -> String {
        try await preview(caller).confirmationToken
    }

    /// Requests the deletion.
    func requestDeletion(
        _ confirmation: String, by caller: DeletionCall.Token?, wait: Bool = false
    ) async throws -> GatewayV1.Deletion? {
        let (link, context) = parts(caller)
        return try await deletions.requestDeletion(
            .init(linkToken: link, confirmationToken: confirmation, wait: wait), context
        ).deletion
    }

    /// Shows the consequences to the caller and requests the deletion.
    @discardableResult
    func requestDeletion(
        _ caller: DeletionCall.Token, wait: Bool = false
    ) async throws -> GatewayV1.Deletion {
        try #require(
            try await requestDeletion(try await confirm(caller), by: caller, wait: wait))
    }

    /// Cancels the deletion; false if none waited.
    func cancelDeletion(
        _ caller: DeletionCall.Token?, key: String? = nil
    ) async throws -> Bool {
        let (link, context) = parts(caller, key)
        return try await deletions.cancelDeletion(.init(linkToken: link), context).cancelled
    }

    /// Carries a deletion on, as the worker does.
    func performDeletion(of account: AccountID) async {
        await service.life.deletionWork.perform(account)
    }

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
