import Addresses
import Contracts
import Messages
import RPC
import ServiceRuntime
import Storage

extension PhoneCodesHandler {
    /// Re-authenticates a session's owner with a code to the account's own number (G-13): counts
    /// and compares the guess, uses the code up, issues the proof.
    ///
    /// If a provider has reported that the number changed, it also confirms the number,
    /// provided the session has an independent proof (`NumberChangeRule`). From then on, a code to
    /// the number is sufficient again.
    func proveByCode(
        _ request: GatewayV1.ReauthenticateRequest, _ context: CallContext
    ) async throws -> IdentityV1.ProveByCodeResponse {
        guard case .phoneCode(let shown) = request.proof else {
            throw ServiceError(.invalidArgument, fields: ["phone_code"])
        }
        let number = try PhoneNumber.required(shown.phoneNumber)
        try requireOn(number)
        let known = try await owners.known(in: context)
        let owner = known.owner
        let guess = PhoneCodeGuess(
            request: PhoneCodeID(text: shown.requestId), purpose: .prove,
            owner: owner, number: number, numberKey: keys.lookUpKey(of: number),
            code: PhoneCode(typed: shown.code),
            origin: CallOrigin(context, on: request.device, keys))
        let call = try RepeatableCall(
            PhoneCodesDescription.proveByCode, request, by: owner.session,
            proving: Array(shown.requestId.utf8), context, keys)
        let confirms = try await confirms(guess, by: known)
        let (refusal, row, first, moment) = try await store.write(about: [
            .account(owner.account), .hash(guess.numberKey),
        ]) { transaction in
            (
                try prove(guess, call, confirms: confirms, transaction),
                try transaction.account(owner.account),
                try transaction.storedResponse(of: call), transaction.at
            )
        }
        if let refusal { throw refusal.error }
        guard let row else { throw ServiceError(.invalidAccessToken) }
        return IdentityV1.ProveByCodeResponse(
            proof: proofs.reauthentication(
                of: owner, row, by: .phoneCode, authenticatedAt: first?.authenticatedAt,
                provedAt: moment))
    }

    /// Whether the session has a proof that is independent of the number, which has changed.
    private func confirms(
        _ guess: PhoneCodeGuess, by known: KnownOwner
    ) async throws -> Bool {
        let change = try await store.read { try $0.numberChange(guess.numberKey) }
        guard let change, change.confirmedAt == nil else { return false }
        return known.proofs.proofs.contains { proof in
            NumberChangeRule.isIndependent(
                proof.amr, provedAt: Timestamp(milliseconds: proof.provedAtMs), of: change)
        }
    }

    /// - Returns: the rejection; nil when the proof succeeds.
    private func prove(
        _ guess: PhoneCodeGuess, _ call: RepeatableCall?, confirms: Bool,
        _ transaction: Transaction
    ) throws -> PhoneCodeGuess.Refusal? {
        let isRepeat = try transaction.storedResponse(of: call) != nil
        // The number may have been unlinked since the code was requested.
        let owner = try self.owner(of: guess.number, transaction)
        if let refusal = try look(at: guess, isRepeat: isRepeat, isUsedUp: true, transaction) {
            return refusal
        }
        guard let account = guess.account, owner == account else {
            return PhoneCodeGuess.Refusal(code: .invalidCode, isCompared: true)
        }
        guard !isRepeat else { return nil }
        func audit(_ kind: AuditKind) throws {
            try transaction.audit(
                AuditEvent(
                    kind, account: account.key, subject: keys.subject(of: guess.number)
                ).from(guess.origin))
        }
        try audit(.phoneCodeProved)
        if confirms {
            try transaction.confirmNumber(guess.numberKey)
            try audit(.phoneNumberConfirmed)
        }
        try transaction.remember(
            call, .init(account: account.key, authenticatedAtMs: transaction.at.milliseconds))
        return nil
    }
}
