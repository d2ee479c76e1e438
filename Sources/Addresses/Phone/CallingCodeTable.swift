/// The table of `CallingCodes`: a country, then the prefixes of its numbers. "--" stands for
/// numbers without a country: satellites, ships, global networks and services.
enum CallingCodeTable {
    static let lines = northAmerica + africa + europe + americas + asiaAndPacific + nowhere

    /// `+1`. Area codes that are not listed belong to the United States.
    private static let northAmerica = """
        US 1
        CA 1204 1226 1236 1249 1250 1257 1263 1289 1306 1343 1354 1365 1367 1368 1382 1387 1403
        CA 1416 1418 1428 1431 1437 1438 1450 1460 1468 1474 1506 1514 1519 1537 1548 1568 1579
        CA 1581 1584 1587 1604 1613 1639 1647 1672 1683 1705 1709 1742 1753 1778 1780 1782 1807
        CA 1819 1825 1867 1873 1879 1902 1905 1942
        AG 1268
        AI 1264
        AS 1684
        BB 1246
        BM 1441
        BS 1242
        DM 1767
        DO 1809 1829 1849
        GD 1473
        GU 1671
        JM 1658 1876
        KN 1869
        KY 1345
        LC 1758
        MP 1670
        MS 1664
        PR 1787 1939
        SX 1721
        TC 1649
        TT 1868
        VC 1784
        VG 1284
        VI 1340

        """

    private static let africa = """
        AC 247
        AO 244
        AW 297
        BF 226
        BI 257
        BJ 229
        BW 267
        CD 243
        CF 236
        CG 242
        CI 225
        CM 237
        CV 238
        DJ 253
        DZ 213
        EG 20
        ER 291
        ET 251
        FO 298
        GA 241
        GH 233
        GL 299
        GM 220
        GN 224
        GQ 240
        GW 245
        IO 246
        KE 254
        KM 269
        LR 231
        LS 266
        LY 218
        MA 212
        MG 261
        ML 223
        MR 222
        MU 230
        MW 265
        MZ 258
        NA 264
        NE 227
        NG 234
        RE 262
        RW 250
        SC 248
        SD 249
        SH 290
        SL 232
        SN 221
        SO 252
        SS 211
        ST 239
        SZ 268
        TD 235
        TG 228
        TN 216
        TZ 255
        UG 256
        YT 262269 262639
        ZA 27
        ZM 260
        ZW 263

        """

    private static let europe = """
        AD 376
        AL 355
        AM 374
        AT 43
        AX 35818
        BA 387
        BE 32
        BG 359
        BY 375
        CH 41
        CY 357
        CZ 420
        DE 49
        DK 45
        EE 372
        ES 34
        FI 358
        FR 33
        GB 44
        GG 441481 447781 447839 4479111 4479117
        GI 350
        GR 30
        HR 385
        HU 36
        IE 353
        IM 441624 447524 447624 447924
        IS 354
        IT 39
        JE 441534 447509 4477003 4477007 4477008 447797 447829 447937
        LI 423
        LT 370
        LU 352
        LV 371
        MC 377
        MD 373
        ME 382
        MK 389
        MT 356
        NL 31
        NO 47
        PL 48
        PT 351
        RO 40
        RS 381
        SE 46
        SI 386
        SJ 4779
        SK 421
        SM 378
        UA 380
        VA 379 3906698
        XK 383

        """

    private static let americas = """
        AR 54
        BO 591
        BQ 599
        BR 55
        BZ 501
        CL 56
        CO 57
        CR 506
        CU 53
        CW 5999
        EC 593
        FK 500
        GF 594
        GP 590
        GT 502
        GY 592
        HN 504
        HT 509
        MQ 596
        MX 52
        NI 505
        PA 507
        PE 51
        PM 508
        PY 595
        SR 597
        SV 503
        UY 598
        VE 58

        """

    private static let asiaAndPacific = """
        AE 971
        AF 93
        AU 61
        AZ 994
        BD 880
        BH 973
        BN 673
        BT 975
        CC 6189162
        CK 682
        CN 86
        CX 6189164
        FJ 679
        FM 691
        GE 995
        HK 852
        ID 62
        IL 972
        IN 91
        IQ 964
        IR 98
        JO 962
        JP 81
        KG 996
        KH 855
        KI 686
        KP 850
        KR 82
        KW 965
        KZ 76 77
        LA 856
        LB 961
        LK 94
        MH 692
        MM 95
        MN 976
        MO 853
        MV 960
        MY 60
        NC 687
        NF 672
        NP 977
        NR 674
        NU 683
        NZ 64
        OM 968
        PF 689
        PG 675
        PH 63
        PK 92
        PS 970
        PW 680
        QA 974
        RU 7
        SA 966
        SB 677
        SG 65
        SY 963
        TH 66
        TJ 992
        TK 690
        TL 670
        TM 993
        TO 676
        TR 90
        TV 688
        TW 886
        UZ 998
        VN 84
        VU 678
        WF 681
        WS 685
        YE 967

        """

    /// Free and shared-cost numbers, Inmarsat, personal numbers, satellites, global networks,
    /// disaster relief and premium services; of `+1` the toll-free, personal and premium ones.
    private static let nowhere = """
        -- 800 808 870 878 881 882 883 888 979
        -- 1500 1521 1522 1523 1524 1525 1526 1527 1528 1529 1532 1533 1538 1542 1543 1544 1545
        -- 1546 1547 1549 1550 1552 1553 1554 1556 1566 1569 1577 1578 1588 1589 1600 1622 1633
        -- 1644 1655 1677 1688 1700 1710 1800 1822 1833 1844 1855 1866 1877 1888 1900
        """
}
