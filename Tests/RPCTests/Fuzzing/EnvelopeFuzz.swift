@testable import RPC

/// Any bytes as a frame: the hand-written reader must agree with libprotobuf-c (`Reading`).
package enum EnvelopeFuzz {
    /// A description of what is wrong, or nil.
    package static func finding(_ input: [UInt8]) -> String? {
        guard !input.isEmpty else { return nil }
        let (library, hand) = (Reading(byLibrary: input), Reading(byHand: input))
        if library.agrees(with: hand) { return nil }
        if Reading.isOddBool(input, library: library, hand: hand) { return nil }
        return "\(library) by library, \(hand) by hand"
    }
}
