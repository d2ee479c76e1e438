import CQREncode

/// A text as a QR code (ISO/IEC 18004), by libqrencode.
///
/// It is drawn in the page itself. An image of its own would need a URL that leads to the secret in
/// it, and the pages' Content-Security-Policy allows no `data:` URL.
struct QRCode: Hashable, Sendable {
    /// The longest text, in bytes: on a page, a code with more modules is hard to scan.
    static let textBytesMax = 1_024
    /// Light modules around the code, which readers need (ISO/IEC 18004, 5.3.8).
    private static let quietModules = 4
    /// CSS pixels on a page.
    private static let pixels = "176"

    /// Modules in a row and in a column.
    private let width: Int
    /// Row by row; whether each is dark.
    private let modules: [Bool]

    /// The code of `text`; nil for an empty text, one of more than `textBytesMax`, and without
    /// memory. It survives the loss of 15 % of it, as on a screen with a reflection.
    init?(_ text: String) {
        let bytes = Array(text.utf8)
        guard (1...Self.textBytesMax).contains(bytes.count) else { return nil }
        // Any size of code, by the length of the text.
        let made = bytes.withUnsafeBufferPointer {
            QRcode_encodeData(Int32($0.count), $0.baseAddress, 0, QR_ECLEVEL_M)
        }
        guard let code = made else { return nil }
        defer { QRcode_free(code) }
        let width = Int(code.pointee.width)
        guard width > 0, let data = code.pointee.data else { return nil }
        let count = width * width
        // The lowest bit of each byte says whether the module is dark.
        modules = UnsafeBufferPointer(start: data, count: count).map { $0 & 1 == 1 }
        // The library frees it as it is, and the text is a secret.
        data.update(repeating: 0, count: count)
        self.width = width
    }

    /// The code as an image, which a screen reader calls `label`.
    func markup(_ label: String) -> HTML {
        let size = "\(width + 2 * Self.quietModules)"
        return """
            <svg class="qr" role="img" aria-label="\(label)" viewBox="0 0 \(size) \(size)" \
            width="\(Self.pixels)" height="\(Self.pixels)" shape-rendering="crispEdges">\
            <rect width="\(size)" height="\(size)" fill="#fff"></rect>\
            <path stroke="#000" d="\(path)"></path></svg>

            """
    }

    /// A line through the middle of each run of dark modules, row by row.
    private var path: String {
        var path = ""
        for row in 0..<width {
            let line = modules[(row * width)..<((row + 1) * width)]
            // Where the last run ended; nil before the first.
            var end: Int?
            var index = line.startIndex
            while let start = line[index...].firstIndex(of: true) {
                let next = line[start...].firstIndex(of: false) ?? line.endIndex
                if let end {
                    path += "m\(start - end) 0"
                } else {
                    let column = start - line.startIndex + Self.quietModules
                    path += "M\(column) \(row + Self.quietModules).5"
                }
                path += "h\(next - start)"
                (end, index) = (next, next)
            }
        }
        return path
    }
}
