import RPC

/// The input bytes as the numbers that drive `CallModel`, four bytes each: in any order of events
/// on a connection, the server's call machine follows the rules.
package enum CallMachineFuzz {
    private static let drawBytes = 4

    /// A description of what is wrong, or nil.
    package static func finding(_ input: [UInt8]) -> String? {
        guard let first = input.first else { return nil }
        var model = CallModel(callsMax: 1 + Int(first % 5))
        do {
            for start in stride(from: 1, through: input.count - drawBytes, by: drawBytes) {
                let bytes = input[start..<start + drawBytes]
                try model.step(bytes.reduce(0) { $0 << 8 | UInt64($1) })
            }
            try model.end()
            return nil
        } catch {
            return "\(error)"
        }
    }
}
