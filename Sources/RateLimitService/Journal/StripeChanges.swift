/// The keys of a stripe's states that have changed since the journal last took them. Each is marked
/// in its slot besides, so that it is here once.
struct StripeChanges {
    /// Of states that stand. When more change, they are found by their marks: a list of a million
    /// keys would take as much memory as the states of a third of them.
    private static let keysMax = 1_024

    private(set) var keys: [LimitKey] = []
    /// Whether there are more, marked in their slots and not listed.
    private(set) var areMore = false

    /// Notes a state that was not marked before.
    mutating func note(_ key: LimitKey) {
        if keys.count < Self.keysMax { keys.append(key) } else { areMore = true }
    }

    /// Notes a state that is taken out, and its mark with it: the list alone can tell of it.
    /// - Parameter isMarked: it has been noted, here or in its slot.
    mutating func noteEnd(of key: LimitKey, isMarked: Bool) {
        if !isMarked || areMore { keys.append(key) }
    }
}
