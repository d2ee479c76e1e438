import NIOCore
import Testing

@testable import WebService

@Suite("gRPC-Web in base64")
struct GRPCWebTextTests {
    private func decoded(_ parts: [String]) throws -> (bytes: [UInt8], isEmpty: Bool) {
        var text = GRPCWebText()
        var bytes: [UInt8] = []
        for part in parts {
            bytes += Array(try text.decoded(ByteBuffer(string: part)).readableBytesView)
        }
        return (bytes, text.isEmpty)
    }

    @Test("texts that follow each other, padded or not, are decoded however they are split")
    func splits() throws {
        let text = Array("AQI=AwQFBg==BwgJ")
        for first in 0...text.count {
            for second in first...text.count {
                let parts = [text[..<first], text[first..<second], text[second...]]
                let found = try decoded(parts.map { String($0) })
                #expect(found.bytes == Array(1...9), "\(first), \(second)")
                #expect(found.isEmpty)
            }
        }
    }

    @Test("what is not base64 is refused", arguments: ["A===", "AQ=I", "A*CD", "AQI=====", "é123"])
    func garbage(text: String) {
        #expect(throws: CallFailure.self) { try decoded([text]) }
    }

    @Test("an incomplete group is left over")
    func rest() throws {
        #expect(try !decoded(["AQIDA"]).isEmpty)
    }

    @Test("a frame is written in padded base64")
    func encoded() {
        let text = GRPCWebText.encoded(MessageFrame.bytes([1]))
        #expect(String(buffer: text) == "AAAAAAEB")
    }
}
