import Glibc

/// Writes what a program says to whoever started it, such as its help.
enum ProgramOutput {
    static func write(_ text: String, to descriptor: Int32) {
        var rest = Array(text.utf8)[...]
        while !rest.isEmpty {
            let count = rest.withUnsafeBytes { Glibc.write(descriptor, $0.baseAddress, $0.count) }
            guard count > 0 else { return }  // nobody reads: there is nobody to tell
            rest = rest.dropFirst(count)
        }
    }
}
