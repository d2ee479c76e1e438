import CIDN

/// A domain in the form of the DNS: ASCII, lower-case, internationalised labels in punycode (I-05).
///
///     label      1 to 63 of a–z 0–9 and -, not beginning or ending with -     RFC 1035 §2.3.1
///     name       at least two labels, 253 bytes; the last label is not a number, which would make
///                it an IPv4 address
///     non-ASCII  mapped and checked by IDNA2008 with UTS 46, non-transitional: libidn2
///     rejected   characters that UTS 46 would drop, so that two different texts would be one
package struct DomainName: Hashable, Sendable {
    private static let bytesMax = 253
    private static let labelBytesMax = 63

    /// The name, for example `xn--bcher-kva.example`.
    package let ascii: String

    /// Parses a domain. Nil for an invalid one.
    package init?(_ entered: String) {
        guard entered.unicodeScalars.allSatisfy(Self.isAllowed) else { return nil }
        let lower = String(decoding: entered.utf8.asciiLowercase, as: UTF8.self)
        let needsMapping =
            !lower.utf8.allSatisfy { $0 < 0x80 }
            || lower.utf8.split(separator: UInt8(ascii: "."))
                .contains { $0.starts(with: "xn--".utf8) }
        guard let name = needsMapping ? Self.mapped(lower) : lower, Self.isDomain(name) else {
            return nil
        }
        ascii = name
    }

    private static func isAllowed(_ scalar: Unicode.Scalar) -> Bool {
        if scalar.isASCII {
            return scalar.isASCIILetterOrDigit || scalar == "." || scalar == "-"
        }
        switch scalar.properties.generalCategory {
        case .control, .spaceSeparator, .lineSeparator, .paragraphSeparator, .unassigned,
            .privateUse, .surrogate:
            return false
        default:
            // The joiners have their own rules in IDNA2008 (RFC 5892 A.1, A.2), which libidn2
            // checks. UTS 46 drops all other characters with this property.
            return scalar == "\u{200c}" || scalar == "\u{200d}"
                || !scalar.properties.isDefaultIgnorableCodePoint
        }
    }

    /// Does not use `IDN2_USE_STD3_ASCII_RULES`: that flag drops an underscore instead of rejecting
    /// it, so that `a_b.example` would become `ab.example`. `isDomain` checks the result instead.
    private static func mapped(_ name: String) -> String? {
        var output: UnsafeMutablePointer<UInt8>?
        defer { idn2_free(output) }
        let flags = Int32(IDN2_NFC_INPUT.rawValue | IDN2_NONTRANSITIONAL.rawValue)
        // Control characters were rejected, so the text contains no NUL that would end it early in
        // C.
        let code = name.withCString { text in
            text.withMemoryRebound(to: UInt8.self, capacity: name.utf8.count + 1) {
                idn2_lookup_u8($0, &output, flags)
            }
        }
        guard code == IDN2_OK.rawValue, let output else { return nil }
        return String(
            validatingCString: UnsafeRawPointer(output).assumingMemoryBound(to: CChar.self)
        )
        .map { String(decoding: $0.utf8.asciiLowercase, as: UTF8.self) }
    }

    private static func isDomain(_ name: String) -> Bool {
        let labels = name.utf8.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
        guard name.utf8.count <= bytesMax, labels.count >= 2, let last = labels.last else {
            return false
        }
        return labels.allSatisfy(isLabel) && !last.allSatisfy { (48...57).contains($0) }
    }

    private static func isLabel(_ label: Substring.UTF8View) -> Bool {
        let hyphen = UInt8(ascii: "-")
        return (1...labelBytesMax).contains(label.count)
            && label.allSatisfy {
                $0 == hyphen || (48...57).contains($0) || (97...122).contains($0)
            }
            && label.first != hyphen && label.last != hyphen
    }
}
