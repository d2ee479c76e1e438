import Contracts
import Messages
import RPC
import ServiceRuntime
import Storage

/// `postern.identity.v1.AccountConsents`: what accounts have agreed to (G-23). Each rpc is in the
/// file of its name: `getConsents`, `acceptTerms`, `withdrawConsent`, `getPrivacy`, `setPrivacy`,
/// `requestParentalConsent`, `answerParentalConsent`. Guests may agree, too.
struct AccountConsentsHandler: AccountConsentsService {
    let settings: ConsentSettings
    /// Base URL of the links in mails.
    let linkOrigin: String
    /// How long the deletion waits after a parent has withdrawn the consent.
    let deletionWait: Duration
    let store: Store
    let keys: IdentityKeys
    let time: any Time
    let randomness: any Randomness
    /// Deletes the accounts of children without consent.
    let deletions: DeletionContext
    let owners: SessionOwners
    let newcomers: NewcomerBytes

    /// The account of an access token, with what it has agreed to.
    /// - Throws: as `SessionsAPI.validated(accessToken:_:)` and `SQLSession.callersRow`.
    func caller(_ accessToken: String, _ context: CallContext) async throws -> AccountRow {
        let owner = try await owners.sessions.validated(accessToken: accessToken, context)
        return try await store.read { try $0.callersRow(owner.account) }
    }

    /// Changes what the account of an access token has agreed to.
    /// - Parameter change: Gets what it has agreed to so far; runs in the transaction, and returns
    ///   whether it has changed anything.
    /// - Returns: what it has agreed to now.
    /// - Throws: as `caller(_:_:)` and `Transaction.requireRoom`, and what `change` throws.
    func changing(
        _ accessToken: String, from origin: CallOrigin, _ context: CallContext,
        _ change: @escaping @Sendable (AccountID, GivenConsents, Transaction) throws -> Bool
    ) async throws -> GivenConsents {
        let owner = try await owners.sessions.validated(accessToken: accessToken, context)
        return try await store.write(about: [.account(owner.account)]) { transaction in
            let row = try transaction.callersRow(owner.account)
            if try change(row.account, row.consents, transaction) {
                try transaction.requireRoom(
                    for: NewcomerBytes.callBytes, of: row.newcomer(at: transaction.at),
                    from: origin, within: newcomers)
            }
            return try transaction.consents(of: row.account)
        }
    }
}

extension ConsentSettings {
    /// What the operator asks for, as a message.
    var message: GatewayV1.ConsentOptions {
        GatewayV1.ConsentOptions(
            mode: mode.message, termsVersion: versions.terms, privacyVersion: versions.privacy,
            termsUrl: termsURL, privacyUrl: privacyURL,
            ageMinimum: age.gate == .required ? UInt32(clamping: age.minimum) : 0,
            parentalConsent: age.parentalConsent == .allowed)
    }
}

extension ConsentSettings.Mode {
    /// The mode in a message.
    fileprivate var message: GatewayV1.ConsentMode {
        switch self {
        case .off: .off
        case .asked: .asked
        case .required: .required
        }
    }
}
