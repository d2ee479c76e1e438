@testable import RPC

extension StreamInstruction {
    var isViolation: Bool {
        if case .violation = self { true } else { false }
    }

    var isIgnored: Bool {
        if case .ignore = self { true } else { false }
    }

    /// The instruction's case as text, without the handle.
    var kind: String {
        switch self {
        case .violation: "violation"
        case .ignore: "ignore"
        case .deliver: "deliver"
        case .refuse(let fault, _): "\(fault)"
        }
    }
}
