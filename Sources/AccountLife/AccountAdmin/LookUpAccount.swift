import Addresses
import Contracts
import IdentityService
import Messages
import RPC
import ServiceRuntime
import Storage

extension AccountAdminHandler {
    /// How long the account waits for its activity. The tool looks an account up before each change
    /// of it, with one deadline for both: a session service that hangs must not keep an operator
    /// from suspending an account.
    private static let activityWait: Duration = .seconds(2)

    /// Finds one account for an operator (I-09), with its deletion, and its activity from the
    /// session service (I-01).
    func lookUpAccount(
        _ request: GatewayV1.LookUpAccountRequest, _ context: CallContext
    ) async throws -> GatewayV1.LookUpAccountResponse {
        let caller = try AdminCaller(context, actor: request.actor, settings)
        let account = try await found(request.by)
        let shown = request.showPersonalData
        let (row, facts, suspension, deletion) = try await store.read { session in
            guard let row = try session.account(account) else { throw ServiceError(.notFound) }
            return (
                row, try answers.facts(row, in: session), try session.suspension(account),
                try session.deletionMessage(of: account)
            )
        }
        // Record the access before returning personal data.
        if shown {
            let event = AuditEvent(.accountShown, account: account.key).by(caller)
            try await store.write(about: []) { try $0.audit(event) }
        }
        var answer = try message(row, facts, suspension, showsPersonal: shown)
        answer.activity = try await activity(of: account, context)
        answer.deletion = deletion.state == .none ? nil : deletion
        return GatewayV1.LookUpAccountResponse(account: answer)
    }

    private func found(
        _ by: GatewayV1.LookUpAccountRequest.By?
    ) async throws -> AccountID {
        let account: AccountID? =
            switch by {
            case .accountId(let text): try AccountID.required(text)
            case .email(let text): try await owner(of: try EmailAddress.required(text))
            case .phoneNumber(let text):
                try await owner(ofNumber: Self.dialled(text))
            case .providerSubject(let somebody):
                try await owner(ofIdentity: somebody.issuer, somebody.subject)
            case nil: throw ServiceError(.invalidArgument, fields: ["by"])
            }
        guard let account else { throw ServiceError(.notFound) }
        return account
    }

    private func owner(of address: EmailAddress) async throws -> AccountID? {
        let lookUpKey = keys.lookUpKey(of: address)
        return try await store.read { try $0.owner(ofAddress: lookUpKey) }
    }

    /// By the text as it is stored, which may be a former text of a number, or by the number.
    private func owner(ofNumber text: String) async throws -> AccountID? {
        if let account = try await owner(ofIdentity: PhoneIdentity.issuer, text) { return account }
        guard let number = PhoneNumber(text) else { return nil }
        return try await store.read { try $0.phoneIdentity(number, keys).account }
    }

    private func owner(
        ofIdentity issuer: String, _ subject: String
    ) async throws -> AccountID? {
        let lookUpKey = keys.lookUpKey(
            of: ProvedIdentity(
                method: .provider(""), issuer: issuer, subject: subject, email: nil,
                displayName: ""))
        return try await store.read { try $0.identity(lookUpKey: lookUpKey)?.account }
    }

    /// A phone number without the separators that people write between its digits.
    private static func dialled(_ text: String) -> String {
        String(text.filter { !" -()./".contains($0) })
    }

    /// Nil if the session service is unavailable, or does not answer within `activityWait`: the
    /// account is returned without its activity.
    private func activity(
        of account: AccountID, _ context: CallContext
    ) async throws -> GatewayV1.AccountActivity? {
        let soon = CallContext(
            deadline: min(context.deadline, time.uptime() + Self.activityWait),
            metadata: context.onward().metadata)
        do {
            return try await guests.activity.getAccountActivity(
                SessionV1.GetAccountActivityRequest(accountId: account.text), soon
            ).activity
        } catch let error as ServiceError {
            logger.warning(
                "identity.admin.activity.failed",
                "reading an account's activity from the session service failed",
                fields: [.detail: .error(error)])
            return nil
        }
    }
}
