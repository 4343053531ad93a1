/** The day of the list below. */
export const rootsListedOn = '2026-08-22';

/**
 * Roots of Node's store by the other stores that have them too: the first 16 digits of their SHA-256.
 * Source: "Status of Root Cert" in https://ccadb.my.salesforce-sites.com/ccadb/AllCertificateRecordsCSVFormatv4.
 * Written by `npm run refresh root-stores`.
 */
export const rootsByStores: { readonly [stores: string]: readonly string[] } = {
  'Apple Chrome Microsoft': [
    '1793927a06145497 179fbc148a3dd00f 18ce6cfe7bf14e60 1ba5b2aa8c65401a 22a2c1f7bded704c 242b69742fcb1e5b',
    '2530cc8e98321502 2cabeafe37d06ca2 2ce1cb0bf9d2f9e1 2e7bf16cc22485a7 3417bb06cc6007da 349dfa4058c5e263',
    '34d8a73ee208d9bc 358df39d764af9e1 3c5f81fea5fab82c 3f99cc474acfce4d 40f6af0346a99aa1 45140b3247eb9cc8',
    '46edc3689046d53a 49e7a442acf0ea62 4fa3126d8d3a11d1 4ff460d54b9c86da 513b2cecb810d4cd 52f0e1c4e58ec629',
    '55926084ec963a64 59769007f7685d0f 5a2fc03f0c83b090 5c58468d55f58e49 5cc3d78e4e1d5e45 5d56499be4d2e08b',
    '657cfe2fa73faa38 69729b8e15a86efc 6b328085625318aa 6b9c08e86eb0f767 7bb647a62aeeac88 81a9088ea59fb364',
    '8560f91c3624daba 85666a562ee0be5c 86a1ecba089c4a8d 88ef81de202eb018 88f438dcf8ffd1fa 8ecde6884f3d87b1',
    '8faf7d2e2cb4709b 8fe4fb0af93a4d0d 91e2f5788d5810eb 96bcec06264976f3 9a114025197c5bb9 9a6ec012e1a7da9d',
    'b085d70b964f191a b2fae53e14ccd7ab b676f2eddae8775c bfff8fd04433487d c32ffd9f46f936d1 c741f70f4b2a8d88',
    'c90f26f0fb1b4018 cbb522d7b7f127ad cbb9c44d84b8043e d947432abde7b7fa d95d0e8eda79525b e23d4a036d7b70e9',
    'e35d28419ed02025 e793c9b02fd8aa13 ebc5570c29018c4d edf7ebbca27a2a38 eec5496b988ce986 f015ce3cc239bfef',
    'fd73dad31c644ff1 fe7696573855773e',
  ],
  'Chrome Microsoft': [
    '0552e6f83fdf65e8 08170d1aa3645390 193144f431e0fddb 2e44102ab58cb854 3f63bb2814be174e 554153b13d2cf9dd',
    '578af4ded0853f4e 57de0583efd2b26e 6c61dac3a2def031 8e8221b2e7d40078 9bea11c976fe0147 a1339d33281a0b56',
    'b49141502d00663d beb00b30839b9bc3 d43af9b35473755c d48d3d23eedb50a4 e59aaa816009c22b e74fbda55bd564c4',
    'efc65cadbb59adb6',
  ],
  'Apple Microsoft': [
    '1435f225c5d252d7 30d0895a9a448a26 44b545aa8a25e65a 568d6905a2c88708 6ab2ab75f51cb4f4 8a866fd1b276b57e',
    'a040929a02ce53b4 bfd88fe1101c41ae',
  ],
  Chrome: [
    '06c08d7dafd87697 30fbba2c32238e2a 8a71de6559336f42 9ae36232a5189ffd c0076b9ef0531fb1 eec997c0c30f216f',
    'fb8fec759169b910',
  ],
  Microsoft: [
    '098e08a91dbbf774 125609aa301da0a2 4b009c1034494f9a bc4d809b15189d78 d13db1294c45ebc6 e778f0f095fe8437',
  ],
  '': ['574df6931e278039 be4b56cb5056c013 e0d3226aeb1163c2 f3896f88fe7c0a88'],
  'Apple Chrome': ['77b82cd8644c4305 b4585f22e4ac756a'],
};
