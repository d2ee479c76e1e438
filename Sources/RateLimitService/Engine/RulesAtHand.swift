/// The rules of limits during one pass over many states. Each rule is read once, and not for each
/// state while other threads wait for the stripe.
struct RulesAtHand {
    /// All limits have smaller numbers. Rules of larger numbers are read each time.
    private static let numbersMax = 128
    private let rules: LimitStripes.Rules
    /// Nil for a rule that has not been read.
    private var known = [CountingRule??](repeating: nil, count: numbersMax)

    init(_ rules: @escaping LimitStripes.Rules) {
        self.rules = rules
    }

    subscript(limit: UInt16) -> CountingRule? {
        mutating get {
            guard limit < Self.numbersMax else { return rules(limit) }
            if let rule = known[Int(limit)] { return rule }
            let rule = rules(limit)
            known[Int(limit)] = .some(rule)
            return rule
        }
    }
}
