import Addresses
import Contracts
import Cryptography
import Messages
import RPC
import ServiceRuntime
import Storage

/// `postern.gateway.v1.SecondFactors`: the second factors of an account, for its owner (F-03, F-04).
/// The gateway composes `confirmTOTP`, of which `SecondProofsHandler` has identity's part.
struct SecondFactorsHandler: IdentitySecondFactorsService, OwnerCallsHandler, AccountWriting {
    let settings: IdentitySettings
    let store: Store
    let writer: AccountWriter
    let time: any Time
    let owners: SessionOwners
    let calls: AccountCalls

    private var reset: SecondFactorReset {
        SecondFactorReset(settings: settings, writer: writer)
    }
}

extension SecondFactorsHandler {
    /// Lists the factors of the caller's account; none for a guest.
    func listSecondFactors(
        _ request: GatewayV1.ListSecondFactorsRequest, _ call: OwnerCall
    ) async throws -> GatewayV1.ListSecondFactorsResponse {
        let account = call.owner.account
        let (row, factors, codes, waiting) = try await store.read { session in
            (
                try session.callersRow(account), try session.secondFactors(of: account),
                try session.recoveryCodes(of: account), try session.secondFactorReset(of: account)
            )
        }
        let vault = try reader.vault(row)
        return GatewayV1.ListSecondFactorsResponse(
            factors: try factors.map { try $0.message(vault) },
            recoveryCodesLeft: UInt32(clamping: codes),
            resetAtMs: waiting?.dueAt.milliseconds ?? 0)
    }

    /// Makes the secret of an authenticator app. It writes nothing: an app that is never confirmed
    /// leaves nothing behind.
    func beginTOTP(
        _ request: GatewayV1.BeginTOTPRequest, _ call: OwnerCall
    ) async throws -> GatewayV1.BeginTOTPResponse {
        try call.known.requireForFactors()
        guard settings.secondFactors.mode != .off else { throw ServiceError(.operationNotAllowed) }
        let account = call.owner.account
        let (row, factors) = try await store.read {
            (try $0.callersRow(account), try $0.secondFactors(of: account))
        }
        guard factors.count < SecondFactorRow.factorsMax else {
            throw ServiceError(.maximumSecondFactorCountExceeded)
        }
        let enrollment = try TOTPEnrollment(for: call.owner, at: time.now(), randomness)
        let secret = enrollment.secret.withBytes { Base32.encode($0) }
        return GatewayV1.BeginTOTPResponse(
            enrollmentToken: try enrollment.token(keys), secret: secret,
            uri: OTPAuthURI.text(
                app: settings.appName, account: try name(of: row), secret: secret),
            expiresAtMs: enrollment.expiresAt.milliseconds)
    }

    /// How an authenticator app names the account: by its address, or by its number.
    private func name(of row: AccountRow) throws -> String {
        if let address = try reader.address(row) { return address.entered }
        return try reader.phoneNumber(row)?.text ?? row.account.text
    }

    /// Removes a factor. With the last one the demand *enrolled* ends, and with it all that belongs
    /// to factors.
    ///
    /// Attack: somebody with an open session of the owner removes the factor, and then needs the
    /// password alone. So it needs a second proof of the last five minutes (`RecentProof.standard`),
    /// and the owner hears of it.
    func removeSecondFactor(
        _ request: GatewayV1.RemoveSecondFactorRequest, _ call: OwnerCall
    ) async throws -> GatewayV1.RemoveSecondFactorResponse {
        try call.known.requireForFactors()
        let factor = FactorID(text: request.factorId)
        let removal = MethodCall(
            of: call.owner, from: call.frame.origin, on: request.device, call.frame.repeatable)
        let account = call.owner.account
        let outcome = try await store.write(about: [.account(account)]) {
            try removed(factor, removal, $0)
        }
        let (row, left) = try outcome.get()
        let vault = try reader.vault(row)
        return GatewayV1.RemoveSecondFactorResponse(factors: try left.map { try $0.message(vault) })
    }

    /// - Returns: the account and its factors after it; a rejection after it was recorded.
    private func removed(
        _ factor: FactorID?, _ call: MethodCall, _ transaction: Transaction
    ) throws -> Result<(AccountRow, [SecondFactorRow]), ServiceError> {
        let account = call.owner.account
        let row = try transaction.callersRow(account)
        try transaction.requireLive(call.owner)
        let factors = try transaction.secondFactors(of: account)
        if try transaction.storedResponse(of: call.repeatable) != nil {
            return .success((row, factors))
        }
        guard let factor, factors.contains(where: { $0.factor == factor }) else {
            throw ServiceError(.notFound, fields: ["factor_id"])
        }
        let isLast = factors.count == 1
        let hasPasskey = try transaction.hasPasskeyAsFactor(account, settings)
        if isLast, settings.secondFactors.mode == .required, !hasPasskey {
            return .failure(
                try transaction.refusal(
                    .lastSecondFactor, .secondFactorRefused, of: row, from: call.origin,
                    within: settings.newcomers))
        }
        _ = try transaction.removeSecondFactor(factor, of: account)
        try transaction.audit(.secondFactorRemoved, account, from: call.origin)
        if isLast {
            try switchOff(row, call, keepingCodes: hasPasskey, transaction)
        } else {
            try transaction.removeChallenges(of: account)
        }
        try transaction.remember(call.repeatable, .init(account: account.key))
        return .success(
            (try transaction.callersRow(account), try transaction.secondFactors(of: account)))
    }

    /// - Parameter keepsCodes: A passkey is a second factor of the account, and the recovery codes
    ///   stand in for it.
    private func switchOff(
        _ row: AccountRow, _ call: MethodCall, keepingCodes keepsCodes: Bool,
        _ transaction: Transaction
    ) throws {
        try transaction.removeSecondFactors(of: row.account, keepingCodes: keepsCodes)
        try transaction.endSessions(
            of: row.account, provedUntil: transaction.at, except: call.owner.session, outbox)
        try notices.write(
            .secondFactorOff, to: row, call.device, except: call.owner.session, transaction)
    }

    /// Makes other recovery codes. They are in no stored response, so a repeat has none.
    func regenerateRecoveryCodes(
        _ request: GatewayV1.RegenerateRecoveryCodesRequest, _ call: OwnerCall
    ) async throws -> GatewayV1.RegenerateRecoveryCodesResponse {
        try call.known.requireForFactors()
        let account = call.owner.account
        let codes = try await store.write(about: [.account(account)]) {
            transaction -> [RecoveryCode] in
            _ = try transaction.callersRow(account)
            try transaction.requireLive(call.owner)
            if try transaction.storedResponse(of: call.frame.repeatable) != nil { return [] }
            guard
                try transaction.hasSecondFactor(account)
                    || transaction.hasPasskeyAsFactor(account, settings)
            else { throw ServiceError(.operationNotAllowed) }
            let codes = try writer.makeRecoveryCodes(
                of: account, from: call.frame.origin, transaction)
            try transaction.remember(call.frame.repeatable, .init(account: account.key))
            return codes
        }
        return GatewayV1.RegenerateRecoveryCodesResponse(recoveryCodes: codes.map(\.shown))
    }

    /// Keeps the factors that support is about to remove, by the link of the mail about it. It opens
    /// nothing, so it needs nothing else.
    func keepSecondFactors(
        _ request: GatewayV1.KeepSecondFactorsRequest, _ context: CallContext
    ) async throws -> GatewayV1.KeepSecondFactorsResponse {
        try context.requireGateway()
        guard let token = LinkToken(request.token) else { throw ServiceError(.invalidLink) }
        let hash = token.hash(.keepSecondFactors, keys.links)
        let origin = CallOrigin(context, keys)
        // The fingerprint has no account, as for `disownSignIn`.
        let repeatable = try RepeatableCall(
            SecondFactorsDescription.keepSecondFactors, request, proving: hash, context, keys)
        try await store.write(about: []) { transaction in
            let account = try transaction.locked {
                try transaction.keepingFactors(tokenHash: hash, at: transaction.at)?.account
            } about: {
                .account($0)
            }
            // After the lock: the first of two calls at once has used the link.
            guard try transaction.storedResponse(of: repeatable) == nil else { return }
            guard let account,
                try transaction.keepingFactors(tokenHash: hash, at: transaction.at) != nil,
                try reset.cancel(of: account, from: origin, transaction)
            else { throw ServiceError(.invalidLink) }
            try transaction.remember(repeatable, .init(account: account.key))
        }
        return GatewayV1.KeepSecondFactorsResponse()
    }
}

extension GatewayV1.RemoveSecondFactorRequest: DeviceRequest {}
extension GatewayV1.RegenerateRecoveryCodesRequest: DeviceRequest {}

extension KnownOwner {
    /// Requires that the owner may change the account's second factors.
    /// - Throws: `auth/operation-not-allowed` for a guest; as `require`.
    func requireForFactors() throws(ServiceError) {
        guard !isGuest else { throw ServiceError(.operationNotAllowed) }
        try require(.standard)
    }
}

extension SQLSession {
    /// The account whose second factors a link keeps now; nil for a link that was used, is too old,
    /// or was mailed to a former address.
    /// - Throws: `SQLError`.
    func keepingFactors(tokenHash: [UInt8], at moment: Timestamp) throws -> AccountRow? {
        guard let link = try self.link(.keepSecondFactors, tokenHash: tokenHash, at: moment),
            let row = try account(link.account), row.address?.lookUpKey == link.addressKey,
            try secondFactorReset(of: row.account) != nil
        else { return nil }
        return row
    }
}

extension AccountWriter {
    /// Makes the recovery codes of an account, in place of its former ones.
    /// - Returns: them, for the response alone.
    func makeRecoveryCodes(
        of account: AccountID, from origin: CallOrigin, _ transaction: Transaction
    ) throws -> [RecoveryCode] {
        let codes = (0..<RecoveryCode.count).map { _ in RecoveryCode.drawn(from: randomness) }
        try transaction.replaceRecoveryCodes(
            of: account, with: codes.map { $0.lookUpKey(in: account, keys) }, randomness)
        try transaction.audit(.recoveryCodesMade, account, from: origin)
        return codes
    }
}
