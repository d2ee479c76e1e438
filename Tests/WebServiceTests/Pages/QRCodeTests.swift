import Testing

@testable import WebService

@Suite("F-03: the secret of an authenticator app as a picture")
struct QRCodeTests {
    private static let uri =
        "otpauth://totp/Postern:ada%40example.org?secret=JBSWY3DPEHPK3PXPJBSWY3DPEHPK3PXP&issuer=P"

    /// The modules that a picture shows, row by row, without the light ones around.
    private func modules(_ markup: String) throws -> [[Bool]] {
        let size = try #require(
            markup.firstMatch(of: /viewBox="0 0 ([0-9]+)/).flatMap { Int($0.1) })
        let path = try #require(markup.firstMatch(of: /\sd="([^"]+)"/)).1
        var rows = Array(repeating: Array(repeating: false, count: size), count: size)
        var (x, y) = (0, 0)
        for step in path.matches(of: /([Mmh])([0-9]+)(?: ([0-9]+))?(?:\.5)?/) {
            let number = try #require(Int(step.2))
            switch step.1 {
            case "M": (x, y) = (number, try #require(step.3.flatMap { Int($0) }))
            case "m": x += number
            default:
                for column in x..<(x + number) { rows[y][column] = true }
                x += number
            }
        }
        let quiet = 4
        for row in rows.indices {
            for column in rows.indices where rows[row][column] {
                #expect((quiet..<(size - quiet)).contains(row))
                #expect((quiet..<(size - quiet)).contains(column))
            }
        }
        return rows.dropFirst(quiet).dropLast(quiet).map {
            Array($0.dropFirst(quiet).dropLast(quiet))
        }
    }

    @Test("it has the three finder patterns and the timing pattern of a code")
    func patterns() throws {
        let markup = try #require(QRCode(Self.uri)).markup("A picture").text
        #expect(markup.contains("role=\"img\" aria-label=\"A picture\""))
        #expect(MarkupCheck.problem(in: markup) == nil)
        #expect(!markup.contains("JBSW"), "the secret is drawn, and not written")
        let rows = try modules(markup)
        // 17 + 4 × version.
        #expect(rows.count % 4 == 1 && rows.count >= 21)
        let finder = [
            "1111111", "1000001", "1011101", "1011101", "1011101", "1000001", "1111111",
        ]
        let far = rows.count - 7
        for (top, left) in [(0, 0), (0, far), (far, 0)] {
            let shown = (0..<7).map { row in
                rows[top + row][left..<(left + 7)].map { $0 ? "1" : "0" }.joined()
            }
            #expect(shown == finder)
        }
        for index in 8..<(rows.count - 8) { #expect(rows[6][index] == (index % 2 == 0)) }
    }

    @Test("different texts have different pictures, and the same text the same one")
    func texts() throws {
        let one = try #require(QRCode(Self.uri))
        #expect(one == QRCode(Self.uri))
        #expect(one != QRCode(Self.uri + "x"))
    }

    @Test("without a text, and for one that is too long, there is none")
    func bounds() {
        #expect(QRCode("") == nil)
        #expect(QRCode(String(repeating: "é", count: QRCode.textBytesMax / 2)) != nil)
        #expect(QRCode(String(repeating: "a", count: QRCode.textBytesMax + 1)) == nil)
    }

    @Test("a label is no markup")
    func label() throws {
        let markup = try #require(QRCode("a")).markup("\"><script>").text
        #expect(MarkupCheck.problem(in: markup) == nil)
        #expect(!markup.contains("<script"))
    }
}
