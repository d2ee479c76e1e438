import Contracts
import Cryptography
import Messages
import RPC
import ServiceRuntime
import Storage

extension SecondProofsHandler {
    /// Adds an authenticator app by the code that it shows, and issues the proof by which session
    /// makes the caller's access token one of aal2 (F-03, F-04). The code counts as used.
    ///
    /// The first factor switches the demand *enrolled* on. All other sessions end with a new session
    /// generation, which also makes stored responses of sign-ins void: none of before it opens a
    /// session after it.
    ///
    /// Attack: somebody who knows the password, and is in a session, sets up the first factor and
    /// locks the owner out. So the mail about it has a link that removes the factors (`disownSignIn`).
    /// A factor that another one has confirmed has no such link: once `not-me-life` is over after the
    /// first one, nothing in the mailbox takes a factor away.
    ///
    /// A repeat is looked up before a recent proof is required: the first call has changed what that
    /// is. It must prove the same code.
    func confirmTOTP(
        _ request: GatewayV1.ConfirmTOTPRequest, _ context: CallContext
    ) async throws -> IdentityV1.ConfirmTOTPResponse {
        try context.requireGateway()
        let known = try await owners.known(in: context)
        let call = try TOTPConfirmation(request, by: known.owner, context, keys)
        if let again = try await answerAgain(call) { return again }
        try known.requireForFactors()
        guard settings.secondFactors.mode != .off else { throw ServiceError(.operationNotAllowed) }
        guard request.name.utf8.count <= AuthenticatorApp.nameBytesMax,
            Applicant.isDisplayName(request.name)
        else { throw ServiceError(.invalidArgument, fields: ["name"]) }
        let outcome = try await store.write(about: [.account(call.owner.account)]) {
            try confirm(call, $0)
        }
        // The first of two calls at once was committed meanwhile.
        guard let added = try outcome.get() else {
            guard let again = try await answerAgain(call) else {
                throw ServiceError(.idempotencyKeyReused)
            }
            return again
        }
        return IdentityV1.ConfirmTOTPResponse(
            factor: try added.factor.message(reader.vault(added.row)),
            recoveryCodes: added.codes.map(\.shown),
            proof: proofs.reauthentication(
                of: call.owner, added.row, by: .totp, authenticatedAt: added.at,
                provedAt: added.at + ProofIssuer.afterEnd))
    }

    /// The answer of a repeat, without recovery codes.
    /// - Returns: nil for a new call.
    private func answerAgain(
        _ call: TOTPConfirmation
    ) async throws -> IdentityV1.ConfirmTOTPResponse? {
        guard call.repeatable != nil else { return nil }
        let (now, account) = (time.now(), call.owner.account)
        let found = try await store.read { session -> (Added, Timestamp)? in
            guard let first = try session.storedResponse(of: call.repeatable, at: now) else {
                return nil
            }
            try session.requireLive(call.owner)
            let row = try session.callersRow(account)
            guard let provedAt = first.authenticatedAt,
                let factor = try session.secondFactors(of: account)
                    .first(where: { $0.factor.key == first.secondFactor })
            else { throw ServiceError(.idempotencyKeyReused) }
            return (Added(row: row, factor: factor, codes: [], at: provedAt), now)
        }
        guard let (added, moment) = found else { return nil }
        return IdentityV1.ConfirmTOTPResponse(
            factor: try added.factor.message(reader.vault(added.row)),
            proof: proofs.reauthentication(
                of: call.owner, added.row, by: .totp, authenticatedAt: added.at,
                provedAt: moment))
    }

    /// What a confirmation has added.
    private struct Added: Sendable {
        /// The account after it.
        let row: AccountRow
        let factor: SecondFactorRow
        /// None but with the first factor.
        let codes: [RecoveryCode]
        let at: Timestamp
    }

    /// - Returns: nil if the call is a repeat; a rejection after it was recorded.
    private func confirm(
        _ call: TOTPConfirmation, _ transaction: Transaction
    ) throws -> Result<Added?, ServiceError> {
        guard try transaction.storedResponse(of: call.repeatable) == nil else {
            return .success(nil)
        }
        let account = call.owner.account
        let row = try transaction.callersRow(account)
        try transaction.requireLive(call.owner)
        let factors = try transaction.secondFactors(of: account)
        guard
            let enrollment = TOTPEnrollment(
                token: call.token, of: call.owner, keys, at: transaction.at),
            !factors.contains(where: { $0.factor == enrollment.factor })
        else { throw ServiceError(.invalidConfirmation) }
        guard factors.count < SecondFactorRow.factorsMax else {
            return .failure(
                try transaction.refusal(
                    .maximumSecondFactorCountExceeded, .secondFactorRefused, of: row,
                    from: call.origin, within: settings.newcomers))
        }
        guard let code = call.code,
            let step = TOTP.step(of: code, enrollment.secret, at: transaction.at, after: .min)
        else { throw ServiceError(.invalidCode, fields: ["code"]) }
        try transaction.insert(
            try NewSecondFactor(
                AuthenticatorApp(secret: enrollment.secret, name: call.name),
                as: enrollment.factor, in: reader.vault(row), lastStep: step), of: account)
        try transaction.audit(.secondFactorAdded, account, from: call.origin)
        let codes = try factors.isEmpty ? switchOn(row, enrollment.factor, call, transaction) : []
        if !factors.isEmpty { try addedAnother(row, call, transaction) }
        try transaction.remember(
            call.repeatable,
            .init(
                account: account.key, authenticatedAtMs: transaction.at.milliseconds,
                secondFactor: enrollment.factor.key))
        guard
            let added = try transaction.secondFactors(of: account)
                .first(where: { $0.factor == enrollment.factor })
        else { throw ServiceError(.internalError, detail: "a second factor was not stored") }
        return .success(
            Added(
                row: try transaction.callersRow(account), factor: added, codes: codes,
                at: transaction.at))
    }

    /// The first factor.
    private func switchOn(
        _ row: AccountRow, _ factor: FactorID, _ call: TOTPConfirmation,
        _ transaction: Transaction
    ) throws -> [RecoveryCode] {
        try transaction.removeChallenges(of: row.account)
        try transaction.endSessions(
            of: row.account, provedUntil: transaction.at, except: call.owner.session, outbox)
        try notices.write(
            .secondFactorOn, to: row, call.device, except: call.owner.session,
            about: factor.text, transaction)
        return try writer.makeRecoveryCodes(of: row.account, from: call.origin, transaction)
    }

    /// A factor beside others, by one of which the caller has proved to be the owner.
    private func addedAnother(
        _ row: AccountRow, _ call: TOTPConfirmation, _ transaction: Transaction
    ) throws {
        try transaction.removeChallenges(of: row.account)
        _ = try SecondFactorReset(settings: settings, writer: writer)
            .cancel(of: row.account, from: call.origin, transaction)
        try notices.write(
            .secondFactorOn, to: row, call.device, with: [.notMeLink(nil)],
            except: call.owner.session, transaction)
    }
}

/// The validated request that adds an authenticator app.
struct TOTPConfirmation: Sendable {
    /// The session that made the call. It is kept when the others end.
    let owner: SessionOwner
    let token: String
    /// Nil when it is not in the format of one.
    let code: TOTPCode?
    let name: String
    let device: DeviceShown
    let origin: CallOrigin
    /// For idempotent retries; nil when the call carries no key.
    let repeatable: RepeatableCall?

    /// Reads a request.
    /// - Throws: `rpc/invalid-argument` for an invalid idempotency key.
    init(
        _ request: GatewayV1.ConfirmTOTPRequest, by owner: SessionOwner, _ context: CallContext,
        _ keys: IdentityKeys
    ) throws(ServiceError) {
        self.owner = owner
        token = request.enrollmentToken
        code = TOTPCode(typed: request.code)
        name = request.name
        origin = CallOrigin(context, on: request.device, keys)
        device = DeviceShown(request.device, from: origin)
        repeatable = try RepeatableCall(
            SecondProofsDescription.confirmTOTP, request, by: owner.session,
            proving: FactorProof.Shown.totp(code).evidence(keys), context, keys)
    }
}
