import CFuzzer
import FrameFuzzing
import Glibc
import MessageFuzzing
import PasskeyFuzzing
import WebFuzzing

/// `POSTERN_FUZZ_TARGET=… fuzz [libFuzzer's arguments]`: runs one target until the arguments end
/// the run or an input breaks a rule, which aborts the process as libFuzzer expects for a bug. The
/// target is not an argument, because libFuzzer restarts the program with its own arguments when it
/// merges.
@main
enum Fuzz {
    typealias Target = @Sendable ([UInt8]) -> String?

    static let targets: [String: Target] = [
        "frames": FrameDecoderFuzz.finding, "envelopes": EnvelopeFuzz.finding,
        "calls": CallMachineFuzz.finding, "messages": MessageFuzz.finding,
        "proxy-headers": ProxyHeaderFuzz.finding,
        "forwarded-addresses": ForwardedAddressFuzz.finding,
        "web-frames": MessageFrameFuzz.finding, "request-heads": RequestHeadFuzz.finding,
        "request-json": RequestJSONFuzz.finding, "http1": HTTP1Fuzz.finding,
        "http2": HTTP2Fuzz.finding, "passkeys": PasskeyFuzz.finding,
    ]

    /// The target of this process; set before the driver starts, and only read afterwards.
    nonisolated(unsafe) static var target: Target = { _ in nil }

    static func main() {
        let name = getenv("POSTERN_FUZZ_TARGET").map { String(cString: $0) } ?? ""
        guard let target = targets[name] else {
            say("targets: \(targets.keys.sorted().joined(separator: " "))")
            exit(64)
        }
        self.target = target
        var words = CommandLine.arguments.map { strdup($0) as UnsafeMutablePointer<CChar>? }
        var count = Int32(words.count)
        words.append(nil)
        words.withUnsafeMutableBufferPointer { buffer in
            var start = buffer.baseAddress
            let result = LLVMFuzzerRunDriver(&count, &start) { data, size in
                let input = Array(UnsafeBufferPointer(start: data, count: size))
                if let finding = Fuzz.target(input) {
                    Fuzz.say("FOUND: \(finding)")
                    abort()
                }
                return 0
            }
            exit(result)
        }
    }

    static func say(_ text: String) {
        let bytes = Array("\(text)\n".utf8)
        _ = write(STDERR_FILENO, bytes, bytes.count)
    }
}
