package import Messages

/// The proofs that an account's owner can give in a session. Pure:
///
///     what the account has                      a proof of kind           its assurance
///     a password, or a number, as a method      password, phone_code      aal1
///     a provider                                provider_token            aal1
///     one with `aal2-acr` or `aal2-amr`         provider_token            aal2, if it says so
///     an authenticator app                      totp_code                 aal2
///     recovery codes                            recovery_code             aal2
///     a passkey that can be used                passkey                   aal2
///     a session that is bound to a device key   device_key                aal1
package struct AvailableProofs: Hashable, Sendable {
    /// The highest assurance that a proof of each kind can have.
    package private(set) var kinds: [ProofKind: Assurance] = [:]
    /// The highest assurance that the account can reach now: aal2 while a second factor is on.
    ///
    /// What a provider's tokens can say does not count: an owner who has no second factor at the
    /// provider any more could change nothing here. Nor does a passkey, unless it is the second
    /// factor that the operator requires: an owner without the device could change nothing either,
    /// and would be locked out by a convenience (F-01).
    package let highest: Assurance

    /// What an account has.
    /// - Parameters:
    ///   - hasSecondFactor: One is on, of whatever kind, or a passkey counts as one.
    ///   - factors: The kinds of proof that its second factors, recovery codes and usable passkeys
    ///     give.
    ///   - strongProviders: The names of the providers whose tokens can count as both proofs.
    ///   - hasDeviceKey: Its session is bound to a device key.
    package init(
        methods: [SignInMethod], hasSecondFactor: Bool, factors: Set<ProofKind>,
        strongProviders: Set<String>, hasDeviceKey: Bool
    ) {
        highest = hasSecondFactor ? .aal2 : .aal1
        // Of passkeys the methods do not say whether one can be used.
        for method in methods where method != .passkey {
            guard let kind = method.authentication.proof else { continue }
            add(kind, strongProviders.contains(method.name) ? .aal2 : .aal1)
        }
        for kind in factors { add(kind, .aal2) }
        if hasDeviceKey { add(.deviceKey, .aal1) }
    }

    /// What identity says of an account. A kind or an assurance of a later release is left out.
    /// - Parameter hasDeviceKey: As the session service says.
    package init(_ messages: [IdentityV1.AvailableProof], hasDeviceKey: Bool) {
        let known = messages.filter { $0.kind != .providerToken && !$0.isOptional }
        highest = known.compactMap { Assurance(rawValue: $0.acr) }.max() ?? .aal1
        for message in messages {
            guard let kind = ProofKind(message.kind),
                let assurance = Assurance(rawValue: message.acr)
            else { continue }
            add(kind, assurance)
        }
        if hasDeviceKey { add(.deviceKey, .aal1) }
    }

    private mutating func add(_ kind: ProofKind, _ assurance: Assurance) {
        kinds[kind] = max(kinds[kind] ?? .aal1, assurance)
    }

    /// As identity answers it, in the order of kinds.
    package var messages: [IdentityV1.AvailableProof] {
        ProofKind.allCases.compactMap { kind in
            kinds[kind].map {
                IdentityV1.AvailableProof(
                    kind: kind.message, acr: $0.rawValue,
                    isOptional: kind == .passkey && highest == .aal1)
            }
        }
    }
}

extension ProofKind {
    /// The kind in a message.
    fileprivate var message: GatewayV1.ProofKind {
        switch self {
        case .password: .password
        case .deviceKey: .deviceKey
        case .provider: .providerToken
        case .phoneCode: .phoneCode
        case .totp: .totpCode
        case .recoveryCode: .recoveryCode
        case .passkey: .passkey
        }
    }
}
