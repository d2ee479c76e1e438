import Contracts
import Messages
import RPC
import ServiceRuntime
import Storage

/// `postern.gateway.v1.Consents`: what accounts have agreed to (G-23). Guests may agree, too.
/// `requestParentalConsent` is of `postern.identity.v1.AccountConsents`: the gateway charges it
/// twice.
struct ConsentsHandler:
    IdentityConsentsService, AccountConsentsService, AccountCallsHandler, AccountWriting
{
    let settings: ConsentSettings
    /// Base URL of the links in mails.
    let linkOrigin: String
    let store: Store
    let writer: AccountWriter
    let time: any Time
    let owners: SessionOwners
    let calls: AccountCalls
    let newcomers: NewcomerBytes

    /// The account that calls, with what it has agreed to.
    /// - Throws: as `SQLSession.callersRow`.
    func caller(_ call: AccountCall) async throws -> AccountRow {
        try await store.read { try $0.callersRow(call.account) }
    }

    /// Changes what the account that calls has agreed to.
    /// - Parameter change: Gets what it has agreed to so far; runs in the transaction, and returns
    ///   whether it has changed anything.
    /// - Returns: what it has agreed to now.
    /// - Throws: as `caller(_:)` and `Transaction.requireRoom`, and what `change` throws.
    func changing(
        _ call: AccountCall,
        _ change: @escaping @Sendable (AccountID, GivenConsents, Transaction) throws -> Bool
    ) async throws -> GivenConsents {
        try await store.write(about: [.account(call.account)]) { transaction in
            let row = try transaction.callersRow(call.account)
            if try change(row.account, row.consents, transaction) {
                try transaction.requireRoom(
                    for: NewcomerBytes.callBytes, of: row.newcomer(at: transaction.at),
                    from: call.origin, within: newcomers)
            }
            return try transaction.consents(of: row.account)
        }
    }
}

extension ConsentsHandler {
    /// What the account has agreed to, and what the operator asks for (G-23).
    func getConsents(
        _ request: GatewayV1.GetConsentsRequest, _ call: AccountCall
    ) async throws -> GatewayV1.GetConsentsResponse {
        let caller = try await caller(call)
        return GatewayV1.GetConsentsResponse(
            consents: caller.consents.messages,
            isCurrent: caller.consents.versions == settings.current, options: settings.message,
            parentalConsent: caller.parentalConsent.message)
    }

    /// The privacy settings, which are off until they are given (G-23), and that the account's data
    /// is processed while there is the account.
    func getPrivacy(
        _ request: GatewayV1.GetPrivacyRequest, _ call: AccountCall
    ) async throws -> GatewayV1.GetPrivacyResponse {
        GatewayV1.GetPrivacyResponse(
            privacy: try await caller(call).consents.privacy(in: call.voice))
    }

    /// Withdraws a consent (G-23). Nothing is deleted and no session ends: without the terms or the
    /// privacy text the account has the required action again. What to do about an account that
    /// stays without is the app's decision.
    func withdrawConsent(
        _ request: GatewayV1.WithdrawConsentRequest, _ call: AccountCall
    ) async throws -> GatewayV1.WithdrawConsentResponse {
        guard let kind = ConsentKind(rawValue: Int64(request.kind.rawValue)) else {
            throw ServiceError(.invalidArgument, fields: ["kind"])
        }
        let given = try await changing(call) { account, given, transaction in
            guard given[kind] != nil else { return false }
            try transaction.withdraw(kind, of: account)
            try transaction.audit(.consentWithdrawn, kind, account, from: call.origin)
            return true
        }
        return GatewayV1.WithdrawConsentResponse(consents: given.messages)
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
