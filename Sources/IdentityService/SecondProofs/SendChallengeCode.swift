import Addresses
import Contracts
import Cryptography
import Messages
import RPC
import ServiceRuntime
import Storage

extension SecondProofsHandler {
    /// Sends a code for a challenge (F-03): draws it, writes, responds. One transaction writes its
    /// hash and enqueues the message, to the account's own number or verified address. A code that
    /// was sent before is void.
    ///
    /// Attack: somebody with the first proof names a number or an address of their own. So the request
    /// names neither.
    func sendChallengeCode(
        _ request: GatewayV1.SendChallengeCodeRequest, _ context: CallContext
    ) async throws -> IdentityV1.SendChallengeCodeResponse {
        try context.requireGateway()
        guard let kind = SecondProofKind(request.kind) else {
            throw ServiceError(.invalidArgument, fields: ["kind"])
        }
        let call = ChallengedCall(context, deviceID: request.device?.deviceId ?? "", keys)
        let token = ChallengeToken(text: request.challenge)
        let origin = CallOrigin(context, on: request.device, keys)
        let repeatable = try RepeatableCall(
            SecondProofsDescription.sendChallengeCode, request, context, keys)
        let now = time.now()
        let account = try await store.read {
            try self.found(token, on: call.device, or: .all, in: $0, at: now).row.account
        }
        return try await store.write(about: [.account(account)]) { transaction in
            // A repeat is answered also when the challenge has ended (G-25).
            let first = try transaction.storedResponse(of: repeatable)
            let found = try self.found(
                token, on: call.device, or: first == nil ? .none : .all, in: transaction,
                at: transaction.at)
            guard found.challenge.kinds.contains(kind) else {
                throw ServiceError(.invalidArgument, fields: ["kind"])
            }
            let expiresAt =
                first.map { Timestamp(milliseconds: $0.codeExpiresAtMs) }
                ?? transaction.at + ChallengeRule.codeLife
            let hint = try send(
                kind, for: found, until: expiresAt, from: origin, isRepeat: first != nil,
                transaction)
            if first == nil {
                try transaction.remember(
                    repeatable,
                    .init(
                        account: found.row.account.key,
                        codeExpiresAtMs: expiresAt.milliseconds))
            }
            return IdentityV1.SendChallengeCodeResponse(
                hint: hint, expiresAtMs: expiresAt.milliseconds,
                isTest: try kind == .phone && isTest(found.row))
        }
    }

    /// Draws and sends a code, unless the call is a repeat.
    /// - Returns: where it goes, masked.
    private func send(
        _ kind: SecondProofKind, for found: Found, until expiresAt: Timestamp,
        from origin: CallOrigin, isRepeat: Bool, _ transaction: Transaction
    ) throws -> String {
        switch kind {
        case .phone:
            guard let number = try reader.phoneNumber(found.row) else { break }
            if !isRepeat {
                let test = settings.phone.test(number)
                let code = test?.code ?? PhoneCode.drawn(from: randomness)
                try set(code, kind, of: found.challenge, until: expiresAt, transaction)
                if test == nil {
                    let text = PhoneCodeText(
                        code: code, number: number, language: found.row.language,
                        account: found.row.account, expiresAt: expiresAt,
                        life: ChallengeRule.codeLife)
                    try transaction.enqueue(text.message(keys, key: outbox.newKey()))
                }
                try transaction.audit(
                    .phoneCodeRequested, found.row.account, from: origin,
                    subject: keys.subject(of: number))
            }
            return ChallengeHint.text(of: number)
        case .email:
            guard found.row.address?.provedAt != nil,
                let address = try reader.address(found.row)
            else { break }
            if !isRepeat {
                let code = PhoneCode.drawn(from: randomness)
                try set(code, kind, of: found.challenge, until: expiresAt, transaction)
                try transaction.enqueue(
                    outbox.email(
                        Mail(.signInCode, [.code(code), .minutes(ChallengeRule.codeLife)]),
                        of: found.row.account, to: address.mailbox,
                        language: found.row.language, expiresAt: expiresAt,
                        key: outbox.newKey()))
            }
            return ChallengeHint.text(of: address)
        case .passkey, .totp, .password, .provider, .recoveryCode: break
        }
        // The number or the address was removed since the challenge began.
        throw ServiceError(.invalidChallenge)
    }

    /// Whether the account's number is one of the operator's test numbers.
    private func isTest(_ row: AccountRow) throws -> Bool {
        try reader.phoneNumber(row).flatMap { settings.phone.test($0) } != nil
    }

    private func set(
        _ code: PhoneCode, _ kind: SecondProofKind, of challenge: StoredChallenge,
        until expiresAt: Timestamp, _ transaction: Transaction
    ) throws {
        try transaction.set(
            StoredChallenge.Code(
                kind: kind, hash: challenge.hash(of: code, kind, keys), expiresAt: expiresAt),
            of: challenge)
    }
}

extension SecondProofKind {
    /// The kind of a request for a code; nil for none or an unknown one.
    fileprivate init?(_ message: GatewayV1.ChallengeCodeKind) {
        switch message {
        case .phone: self = .phone
        case .email: self = .email
        case .unspecified, .unrecognized: return nil
        }
    }
}
