/// The rules of limits during one pass over many states: each is asked for once, not for each
/// state while others wait for the stripe.
struct RulesAtHand {
    /// All numbers that limits have are smaller; larger ones are asked for each time.
    private static let numbersMax = 128
    private let rules: LimitStripes.Rules
    /// Nil where the rule has not been asked for.
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
