package import ServiceRuntime
package import Storage

/// A rule that asks for a second proof of a sign-in (F-03). Pure: what a demand knows is in
/// `SignInFacts`. All have one form and stand in one list, `SignInGate.demands`:
///
///     demand           asks if                   for                    without one
///     enrolled         a second factor is on     a factor               asks for none: refused
///     policy           the operator requires     a factor               passes
///                      a factor
///     number changed   the code's number is      any independent kind   passes
///                      guarded
///                      (`NumberChangeRule`)
///
/// A first proof that counts as both (`FirstProof.isBothProofs`) has the factor already: *enrolled* and
/// *policy* ask for none.
///
/// A rule about unusual sign-ins would be a further row. Of several demands, the
/// kinds that satisfy all would do. A demand that passes where an account has nothing that would do
/// is left out then, before the others are joined.
///
/// Attack: somebody has an account's mailbox. *Enrolled* accepts neither another way to sign in nor a
/// mailed code: either would be a way past the factor.
package struct SecondProofDemand: Sendable {
    /// What would satisfy it.
    enum Wanted: Hashable, Sendable {
        /// A second factor of the account, or a recovery code (`SecondProofKind.isFactor`).
        case factor
        /// Any kind that is independent of the first proof.
        case independent
    }

    let reason: SecondProofReasons
    /// It does not ask where the account has nothing that would do.
    let passesWithout: Bool
    /// What it asks for; nil for nothing.
    let wanted: @Sendable (SignInFacts) -> Wanted?

    /// The kinds that would satisfy it, of those that the account has; nil if it asks for nothing.
    func kinds(_ facts: SignInFacts, of available: [SecondProofKind]) -> [SecondProofKind]? {
        guard let wanted = wanted(facts) else { return nil }
        let kinds = available.filter { wanted == .independent || $0.isFactor }
        return kinds.isEmpty && passesWithout ? nil : kinds
    }
}

extension SecondProofDemand {
    /// A second factor is on: only a second factor or a recovery code is accepted.
    package static let enrolled = SecondProofDemand(reason: .enrolled, passesWithout: false) {
        $0.hasSecondFactor && !$0.first.isBothProofs ? .factor : nil
    }

    /// The operator requires a second factor. An account without one signs in, and has to set one up
    /// (`RequiredActionRule`): what it may do until then is the app's decision.
    package static let policy = SecondProofDemand(reason: .policy, passesWithout: true) {
        $0.isFactorRequired && !$0.first.isBothProofs ? .factor : nil
    }

    /// The number of the code is reported to have changed hands. The second proof also
    /// confirms it.
    package static let numberChanged = SecondProofDemand(
        reason: .numberChanged, passesWithout: true
    ) { facts in
        NumberChangeRule.isGuarded(
            facts.numberChange, for: facts.changeGuard, at: facts.at) ? .independent : nil
    }
}

/// Why a second proof is asked for: bits that are stored and never change.
struct SecondProofReasons: OptionSet, Hashable, Sendable {
    let rawValue: Int64

    /// A second factor is on.
    static let enrolled = SecondProofReasons(rawValue: 1)
    /// The operator requires a second factor.
    static let policy = SecondProofReasons(rawValue: 2)
    /// The number of the first proof has changed.
    static let numberChanged = SecondProofReasons(rawValue: 4)
}

/// What demands look at.
struct SignInFacts: Hashable, Sendable {
    let first: FirstProof
    /// A second factor of the account is on.
    let hasSecondFactor: Bool
    /// The operator requires one (`second-factor: required`).
    var isFactorRequired = false
    /// The reported change of the number that the first proof was a code to; nil for none.
    let numberChange: NumberChange?
    /// How long a changed number is guarded.
    let changeGuard: Duration
    /// The transaction's time.
    let at: Timestamp
}

/// What the demands of one account come to. Pure.
struct DemandedProof: Hashable, Sendable {
    let reasons: SecondProofReasons
    /// In the order to offer them; none if the account has nothing that would do.
    let kinds: [SecondProofKind]

    /// Joins what `demands` ask for; nil if they ask for nothing.
    /// - Parameter available: The kinds that the account has, in order. It is read only if a demand
    ///   asks for something.
    init?(
        _ demands: [SecondProofDemand], _ facts: SignInFacts,
        available: () throws -> [SecondProofKind]
    ) rethrows {
        let asking = demands.filter { $0.wanted(facts) != nil }
        guard !asking.isEmpty else { return nil }
        var (reasons, kinds): (SecondProofReasons, [SecondProofKind]) = ([], try available())
        for demand in asking {
            guard let own = demand.kinds(facts, of: kinds) else { continue }
            reasons.insert(demand.reason)
            kinds = own
        }
        guard !reasons.isEmpty else { return nil }
        self.reasons = reasons
        self.kinds = kinds
    }
}

/// Reads whether an account has a second factor.
package protocol SecondFactors: Sendable {
    /// Whether a second factor of the account is on. Read in the transaction that decides: no column
    /// of another table says so, since a stored level goes stale (Kratos GHSA-wc43-73w7-x2f5).
    /// - Throws: `SQLError`.
    func hasSecondFactor(_ account: AccountID, in session: some SQLSession) throws -> Bool
}

/// The second factors in this service's store.
package struct StoredSecondFactors: SecondFactors {
    /// Reads them.
    package init() {}

    /// As the protocol says.
    /// - Throws: `SQLError`.
    package func hasSecondFactor(
        _ account: AccountID, in session: some SQLSession
    ) throws -> Bool { try session.hasSecondFactor(account) }
}

/// The gate's rules, and where it reads the factors.
package struct SignInGate: Sendable {
    /// All that may ask for a second proof of a sign-in.
    let demands: [SecondProofDemand]
    /// Nil where no factors are stored: *enrolled* asks for nothing then.
    let factors: (any SecondFactors)?

    /// A gate with these rules.
    package init(demands: [SecondProofDemand], factors: (any SecondFactors)?) {
        self.demands = demands
        self.factors = factors
    }

    /// The rules of the service.
    package static let standard = SignInGate(
        demands: [.enrolled, .policy, .numberChanged], factors: StoredSecondFactors())
}
