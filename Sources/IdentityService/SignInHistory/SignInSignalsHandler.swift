import Addresses
import Contracts
import Cryptography
import Messages
import RPC
import ServiceRuntime
import Storage

/// `postern.identity.v1.SignInSignals`: what the gateway knows of sign-ins that never reached
/// identity (A-01, D0).
struct SignInSignalsHandler: SignInSignalsService, AccountWriting {
    let store: Store
    let writer: AccountWriter
}

extension SignInSignalsHandler {
    /// Records that guesses have locked an account and tells its owner, or counts it where no
    /// account has the address. Both are one write, and the gateway does not wait for it.
    ///
    /// Attack: a stranger locks an account again and again, for which no proof is needed, to flood
    /// its owner. So the owner is told once a day (`NoticeRule`).
    func noteLock(
        _ request: IdentityV1.NoteLockRequest, _ context: CallContext
    ) async throws -> IdentityV1.NoteLockResponse {
        try context.requireGateway()
        guard let limit = LimitName(rawValue: request.limit),
            LimitName.locksOfAccounts.contains(limit)
        else { throw ServiceError(.invalidArgument, fields: ["limit"]) }
        guard let owner = request.owner else {
            throw ServiceError(.invalidArgument, fields: ["email"])
        }
        // No account has a text that is no address.
        let named = Named(owner, keys)
        let origin = CallOrigin(context, keys)
        let call = try RepeatableCall(SignInSignalsDescription.noteLock, request, context, keys)
        try await store.write(about: []) { transaction in
            guard try transaction.storedResponse(of: call) == nil else { return }
            let detail = AuditDetail.limit(limit.rawValue)
            let account = try transaction.locked {
                try named?.account(in: transaction, keys)
            } about: {
                .account($0)
            }
            if let named, let account {
                let now = transaction.at.milliseconds
                try transaction.audit(
                    AuditEvent(
                        .accountLocked, account: account.key, subject: named.subject,
                        outcome: .tooManyRequests,
                        attempt: (max(now, request.untilMs) - now) / 1_000, detail: detail
                    ).from(origin))
                try notices.write(.signInLocked, to: account, DeviceShown(nil), transaction)
            } else {
                try transaction.auditCounted(
                    .accountLocked, detail, outcome: .tooManyRequests, from: origin)
            }
            try transaction.remember(call, .init(done: true))
        }
        return IdentityV1.NoteLockResponse()
    }

    /// The address or the number of a request, in its canonical form.
    private enum Named {
        case email(EmailAddress, subject: [UInt8])
        case number(PhoneNumber, subject: [UInt8])

        /// Nil for a text that is neither.
        init?(_ owner: IdentityV1.NoteLockRequest.Owner, _ keys: IdentityKeys) {
            switch owner {
            case .email(let text):
                guard let address = EmailAddress(text) else { return nil }
                self = .email(address, subject: keys.subject(of: address))
            case .phoneNumber(let text):
                guard let number = PhoneNumber(text) else { return nil }
                self = .number(number, subject: keys.subject(of: number))
            }
        }

        /// Its keyed hash in the trail.
        var subject: [UInt8] {
            switch self {
            case .email(_, let subject), .number(_, let subject): subject
            }
        }

        /// The account that has it.
        func account(in session: some SQLSession, _ keys: IdentityKeys) throws -> AccountID? {
            switch self {
            case .email(let address, _):
                try session.owner(ofAddress: keys.lookUpKey(of: address))
            case .number(let number, _): try session.phoneIdentity(number, keys).account
            }
        }
    }
}
