import Glibc

/// Writes a program's output for the operator, such as its help.
enum ProgramOutput {
    static func write(_ text: String, to descriptor: Int32) {
        var rest = Array(text.utf8)[...]
        while !rest.isEmpty {
            let count = rest.withUnsafeBytes { Glibc.write(descriptor, $0.baseAddress, $0.count) }
            guard count > 0 else { return }  // the reader is gone, so the rest is dropped
            rest = rest.dropFirst(count)
        }
    }
}
