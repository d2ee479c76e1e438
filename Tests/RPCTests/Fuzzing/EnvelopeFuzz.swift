@testable import RPC

/// Any bytes as a frame: read by hand as libprotobuf-c reads them (`Reading`).
package enum EnvelopeFuzz {
    /// What is wrong, if anything is.
    package static func finding(_ input: [UInt8]) -> String? {
        guard !input.isEmpty else { return nil }
        let (library, hand) = (Reading(byLibrary: input), Reading(byHand: input))
        if library.agrees(with: hand) { return nil }
        if Reading.isOddBool(input, library: library, hand: hand) { return nil }
        return "\(library) by library, \(hand) by hand"
    }
}
